import { z } from 'zod';
import type { NewEntry } from '../audit/audit.ts';
import { definePress } from '../commands/press.ts';
import { ACTION } from '../messages/action-ids.ts';
import { isWaiting } from '../messages/visitor-pieces.ts';
import { watchOffer } from '../messages/visitor-buttons.ts';
import { startOfDay } from '../start-of-day.ts';
import { alreadyOnIt, notOnIt, notWaiting, onIt } from './on-it.ts';
import type { OnIt } from './on-it.ts';
import { tooManyAwaited, willNotTell, willTell } from './online-notice.ts';
import type { OnlineRequests } from './online-requests.ts';
import type { Showing } from './visitor.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

/** The presses of the buttons for customers who wait for help, and for those who are offline. */
export function createWaitingPresses(parts: {
  readonly visitorTools: Showing['visitorTools'];
  readonly partnersOf: Showing['partnersOf'];
  readonly onIt: Pick<OnIt, 'toggle'>;
  readonly onlineRequests: Pick<OnlineRequests, 'ask' | 'cancel'>;
  readonly profileOf: (workspaceId: string, userId: string) => Promise<{ readonly utcOffsetSeconds: number }>;
  readonly record: (entry: NewEntry) => Promise<void>;
  readonly now: () => number;
}) {
  const { visitorTools, partnersOf, onlineRequests, record } = parts;

  const onItPress = definePress({
    actionId: ACTION.onIt,
    answer: 'add',
    right: 'watch',
    value: z.string().min(1),
    async run(visitorId, caller) {
      const { workspaceId, userId, channelId } = caller;
      const visitor = await caller.workspace.cobrowse.visitor(visitorId);
      const tools = {
        ...(await visitorTools(caller)),
        partners: await partnersOf(caller, [visitor]),
      };
      if (!isWaiting(visitor)) return notWaiting(visitor, tools);
      const outcome = await parts.onIt.toggle(workspaceId, visitorId, userId);
      await record({
        workspaceId,
        userId,
        visitorId,
        action: 'on-it',
        outcome: outcome.is,
        ...(channelId === undefined ? {} : { channelId }),
      });
      switch (outcome.is) {
        case 'taken':
          return onIt(visitor, outcome.until, tools);
        case 'released':
          return notOnIt(visitor);
        case 'held':
          return alreadyOnIt(visitor, outcome.by, outcome.until);
        default:
          return outcome satisfies never;
      }
    },
  });

  const tellOnline = definePress({
    actionId: ACTION.tellOnline,
    answer: 'add',
    right: 'watch',
    value: z.string().min(1),
    async run(visitorId, caller) {
      const { workspaceId, userId } = caller;
      const visitor = await caller.workspace.cobrowse.visitor(visitorId);
      // They came online after the card was drawn.
      if (visitor.is_online === true) return watchOffer(visitor, await visitorTools(caller));
      const { utcOffsetSeconds } = await parts.profileOf(workspaceId, userId);
      const today = startOfDay(new Date(parts.now()), utcOffsetSeconds).getTime();
      const outcome = await onlineRequests.ask(workspaceId, visitorId, userId, today + DAY_MS);
      await record({ workspaceId, userId, visitorId, action: 'online-notice', outcome: outcome.is });
      return outcome.is === 'full'
        ? tooManyAwaited(outcome.most)
        : willTell(visitor, outcome.until, outcome.is === 'set');
    },
  });

  const cancelTellOnline = definePress({
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
  });

  return [onItPress, tellOnline, cancelTellOnline];
}
