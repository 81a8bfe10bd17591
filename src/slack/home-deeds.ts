import type { ModalView } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import type { Viewer } from '../home/viewer.ts';
import { notice } from '../views/message.ts';
import type { Message } from '../views/message.ts';
import { messageModal } from '../views/modal.ts';
import type { Answerer } from './answer.ts';
import { callerNowhere } from './callers.ts';
import type { PressPayload } from './payloads.ts';
import { updateModal } from './reply.ts';

/** What a button of the Home does, with what travels in it, and what is said then. */
export type HomeDeed = (viewer: Viewer, value: string) => Promise<Message>;

interface HomeDeedsParts {
  readonly answerer: Answerer;
  /** By `action_id`. */
  readonly deeds: ReadonlyMap<string, HomeDeed>;
  /** Draws the Home once more, when something was done. */
  readonly draw: (client: WebClient, viewer: Viewer) => void;
}

const FRAME = { title: 'Summaries', context: '{}' };

/** Buttons of the Home that do something at once: a Home has no place for an answer, so that it comes as a modal. */
export function createHomeDeeds({ answerer, deeds, draw }: HomeDeedsParts) {
  return function take(client: WebClient, press: PressPayload): void {
    const [{ action_id: actionId, value }] = press.actions;
    const deed = deeds.get(actionId);
    if (deed === undefined) return;
    const viewer = callerNowhere(press);
    // At once, since the trigger lives three seconds.
    const view = messageModal(FRAME, notice(['One moment.']));
    const opened = client.views.open({ trigger_id: press.trigger_id, view });
    opened.catch(() => undefined);
    const fill = async (filled: ModalView) => updateModal(client, (await opened).view?.id ?? '', filled);
    answerer.take({
      name: 'home deed',
      ...viewer,
      work: () => deed(viewer, value),
      async deliver(message) {
        await fill(messageModal(FRAME, message));
        draw(client, viewer);
      },
    });
  };
}
