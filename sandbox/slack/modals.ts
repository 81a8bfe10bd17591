import { z } from 'zod';

import type { Acknowledgement } from './dispatch.ts';
import { emptyRequired, stateOf } from './element-state.ts';
import { done, refused, type Interaction, type Outcome } from './interaction.ts';
import type { ViewState } from './page-api.ts';
import { submissionPayload } from './payloads.ts';
import { SlackError } from './slack-error.ts';
import type { OpenView } from './view-stacks.ts';
import { shownBlocks } from './views.ts';

const trouble = 'We had some trouble connecting. Try again?';

/** Left out: `clear` and `push`. */
const answerSchema = z.discriminatedUnion('response_action', [
  z.object({ response_action: z.literal('errors'), errors: z.record(z.string(), z.string()) }),
  z.object({ response_action: z.literal('update'), view: z.unknown() }),
]);

/** A modal's submit button. Slack's client itself keeps a modal with empty required inputs open. */
export const submit = async (
  parts: Interaction,
  { as, view_id, state }: { readonly as: string; readonly view_id: string; readonly state: ViewState },
): Promise<Outcome> => {
  const view = parts.views.of(as).find((it) => it.id === view_id);
  if (view === undefined) return refused('This dialog is gone.');
  const blocks = shownBlocks(parts.world, view);
  const empty = emptyRequired(blocks, stateOf(blocks, state));
  if (empty.length > 0) {
    const words = 'Please complete this required field.';
    parts.views.showErrors(view.id, Object.fromEntries(empty.map((blockId) => [blockId, words])));
    return done;
  }
  const acknowledgement = await parts.deliver(
    'interactive',
    submissionPayload(parts.world, {
      userId: as,
      triggerId: parts.triggers.issue(as, view.viewing),
      view,
      state,
    }),
  );
  // The person may have closed it, or the app replaced it, while the answer was on its way.
  const current = parts.views.of(as).find((it) => it.id === view_id);
  if (current !== undefined) follow(parts, current, acknowledgement);
  return done;
};

/** The person closes a modal. */
export const closeView = async (
  parts: Interaction,
  { as, view_id }: { readonly as: string; readonly view_id: string },
): Promise<Outcome> => {
  const view = parts.views.of(as).find((it) => it.id === view_id);
  if (view === undefined) return refused('This dialog is gone.');
  parts.views.close(view);
  return done;
};

const follow = ({ views }: Interaction, view: OpenView, acknowledgement: Acknowledgement): void => {
  if (!acknowledgement.acknowledged) {
    views.showErrors(view.id, { '': trouble });
    return;
  }
  const { body } = acknowledgement;
  const answer = answerSchema.safeParse(body);
  if (!answer.success) {
    if (hasAction(body)) views.showErrors(view.id, { '': trouble });
    else views.close(view);
    return;
  }
  if (answer.data.response_action === 'errors') return views.showErrors(view.id, answer.data.errors);
  try {
    views.update(view.id, answer.data.view);
  } catch (error) {
    if (!(error instanceof SlackError)) throw error;
    views.showErrors(view.id, { '': trouble });
  }
};

const hasAction = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'response_action' in body;
