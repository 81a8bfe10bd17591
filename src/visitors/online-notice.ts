import { z } from 'zod';
import type { Audit } from '../audit/audit.ts';
import type { Visitor } from '../cobrowse/schemas.ts';
import { definePress } from '../commands/press.ts';
import { dayAfter, dayOf, startOfDay, zoneOf, type PersonalZone } from '../messages/days.ts';
import { ACTION } from '../messages/action-ids.ts';
import {
  button,
  buttons,
  context,
  done,
  message,
  notice,
  problem,
  status,
  type Message,
} from '../messages/message.ts';
import { bold, time } from '../messages/text.ts';
import { detailsButton, watchOffer } from '../messages/visitor-buttons.ts';
import { presenceOf, visitorName } from '../messages/visitor-pieces.ts';
import type { OnlineRequests } from './online-requests.ts';
import type { Showing } from './visitor.ts';

/** @param isNew false where it was asked for before */
function willTell(visitor: Visitor, until: Date, isNew: boolean): Message {
  const name = visitorName(visitor);
  return message(
    status('waiting', [
      [isNew ? 'I’ll' : 'I’ll still', ' send you a direct message when ', bold(name), ' comes online.'],
      ['This ends at ', time(until), '.'],
    ]),
    buttons(
      button({
        text: 'Cancel',
        actionId: ACTION.cancelTellOnline,
        value: visitor.short_id,
        label: `Cancel the message about ${name}`,
      }),
    ),
  );
}

/** @param most visitors of a workspace who can be waited for */
function tooManyAwaited(most: number): Message {
  return problem(
    [`Your workspace is already waiting for ${most} customers, the maximum.`],
    ['Search again later.'],
  );
}

function willNotTell(wasSet: boolean): Message {
  return wasSet ? done(['Canceled. I won’t send you a message.']) : notice(['There was nothing to cancel.']);
}

/**
 * Sent to whoever asked. It stays in their direct messages, so its button only leads to one that opens the screen.
 */
export function cameOnline(visitor: Visitor): Message {
  const name = visitorName(visitor);
  return message(
    status('done', [[bold(name), ' is online now.']]),
    buttons(
      button({
        text: 'Watch',
        actionId: ACTION.watchAgain,
        value: visitor.short_id,
        label: `Watch the screen of ${name}`,
        style: 'primary',
      }),
      detailsButton(visitor),
    ),
    context('You asked to be told.'),
  );
}

/** The presses of "Tell me when online", and of its Cancel. */
export const createOnlineNoticePresses = ({
  onlineRequests,
  visitorTools,
  profileOf,
  record,
  now,
}: Pick<Showing, 'visitorTools'> & {
  readonly onlineRequests: Pick<OnlineRequests, 'ask' | 'cancel'>;
  readonly profileOf: (workspaceId: string, userId: string) => Promise<PersonalZone>;
  readonly record: Audit['record'];
  readonly now: () => number;
}) => [
  definePress({
    actionId: ACTION.tellOnline,
    answer: 'add',
    right: 'watch',
    value: z.string().min(1),
    async run(visitorId, caller) {
      const { workspaceId, userId } = caller;
      const visitor = await caller.workspace.cobrowse.visitor(visitorId);
      // They came online after the card was drawn.
      if (presenceOf(visitor) === 'online') return watchOffer(visitor, await visitorTools(caller));
      const zone = zoneOf(await profileOf(workspaceId, userId));
      const midnight = startOfDay(dayAfter(dayOf(now(), zone), 1), zone);
      const outcome = await onlineRequests.ask(workspaceId, visitorId, userId, midnight);
      await record({ workspaceId, userId, visitorId, action: 'online-notice', outcome: outcome.is });
      return outcome.is === 'full'
        ? tooManyAwaited(outcome.most)
        : willTell(visitor, outcome.until, outcome.is === 'set');
    },
  }),
  definePress({
    actionId: ACTION.cancelTellOnline,
    answer: 'add',
    right: 'everybody',
    value: z.string().min(1),
    async run(visitorId, { workspaceId, userId }) {
      const wasSet = await onlineRequests.cancel(workspaceId, visitorId, userId);
      if (wasSet)
        await record({ workspaceId, userId, visitorId, action: 'online-notice', outcome: 'cancelled' });
      return willNotTell(wasSet);
    },
  }),
];
