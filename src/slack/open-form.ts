import type { ViewResponseAction } from '@slack/bolt';
import type { ModalView } from '@slack/types';

/** Slack waits 3 s for the answer to a form: what is saved by then closes it. */
const SAVED_WITHIN_MS = 2_000;

/** A form whose submission isn't acknowledged yet. */
export interface OpenForm {
  /** False where it is acknowledged already: then it can't close any more. */
  close(): Promise<boolean>;
  /** The same for what takes its place. */
  show(view: ModalView): Promise<boolean>;
  /** Resolves once it is acknowledged. */
  readonly acknowledged: Promise<void>;
}

/** Acknowledges a submission with what comes of it, and with `saving` where nothing does for two seconds. */
export function holdOpen(
  ack: (action: ViewResponseAction | undefined) => Promise<void>,
  saving: ModalView,
  report: (error: unknown) => void,
): OpenForm {
  const { promise: acknowledged, resolve } = Promise.withResolvers<void>();
  let isOpen = true;
  async function answer(action?: ViewResponseAction): Promise<boolean> {
    if (!isOpen) return false;
    isOpen = false;
    clearTimeout(timer);
    await ack(action).finally(resolve);
    return true;
  }
  const show = (view: ModalView) => answer({ response_action: 'update', view });
  const timer = setTimeout(() => void show(saving).catch(report), SAVED_WITHIN_MS);
  return { close: () => answer(), show, acknowledged };
}
