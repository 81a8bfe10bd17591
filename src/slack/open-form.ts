import type { ViewResponseAction } from '@slack/bolt';
import type { ModalView } from '@slack/types';

/** Slack waits 3 s for the answer to a form; if it's saved by then, the form closes. */
const SAVED_WITHIN_MS = 2_000;

/** A form whose submission hasn't been acknowledged yet. */
export interface OpenForm {
  /** False if it has already been acknowledged, and so can't be closed any more. */
  close(): Promise<boolean>;
  /** The same for showing something else instead. */
  show(view: ModalView): Promise<boolean>;
  /** Resolves once it's acknowledged. */
  readonly acknowledged: Promise<void>;
}

/** Acknowledges a submission with its result, or with `saving` if there is none within two seconds. */
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
