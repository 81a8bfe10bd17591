import { z } from 'zod';
import { ACTION } from '../messages/action-ids.ts';
import { alreadyOnIt, notOnIt, notWaiting, onIt } from './on-it.ts';
import { tooManyAwaited, willNotTell, willTell } from './online-notice.ts';
import { isWaiting } from '../messages/visitor-pieces.ts';
import { watchOffer } from '../messages/watch-offer.ts';
import { ifAllowed } from '../commands/allowed.ts';
import { definePress } from '../commands/press.ts';

const visitorId = z.string().min(1);

const onItPress = definePress({
  actionId: ACTION.onIt,
  answer: 'add',
  value: visitorId,
  run: (id, caller, services) =>
    ifAllowed('watch', { caller, services }, async () => {
      const { workspaceId, userId } = caller;
      const visitor = await services.cobrowse.visitor(id);
      const tools = {
        ...(await services.visitorTools(caller)),
        partners: await services.partnersOf(caller, [visitor]),
      };
      if (!isWaiting(visitor)) return notWaiting(visitor, tools);
      const outcome = await services.onIt.toggle(workspaceId, id, userId);
      await services.record({
        workspaceId,
        userId,
        visitorId: id,
        action: 'on-it',
        outcome: outcome.is,
        ...(caller.channelId === undefined ? {} : { channelId: caller.channelId }),
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
    }),
});

const tellOnline = definePress({
  actionId: ACTION.tellOnline,
  answer: 'add',
  value: visitorId,
  run: (id, caller, services) =>
    ifAllowed('watch', { caller, services }, async () => {
      const { workspaceId, userId } = caller;
      const visitor = await services.cobrowse.visitor(id);
      // They came online after the card was drawn.
      if (visitor.is_online === true) return watchOffer(visitor, await services.visitorTools(caller));
      const outcome = await services.onlineRequests.ask(workspaceId, id, userId);
      await services.record({
        workspaceId,
        userId,
        visitorId: id,
        action: 'online-notice',
        outcome: outcome.is,
      });
      return outcome.is === 'full'
        ? tooManyAwaited(outcome.most)
        : willTell(visitor, outcome.until, outcome.is === 'set');
    }),
});

const cancelTellOnline = definePress({
  actionId: ACTION.cancelTellOnline,
  answer: 'add',
  value: visitorId,
  async run(id, { workspaceId, userId }, services) {
    const wasSet = await services.onlineRequests.cancel(workspaceId, id, userId);
    if (wasSet)
      await services.record({
        workspaceId,
        userId,
        visitorId: id,
        action: 'online-notice',
        outcome: 'cancelled',
      });
    return willNotTell(wasSet);
  },
});

/** The buttons for customers who wait for help, and for those who are offline. */
export const waitingPresses = [onItPress, tellOnline, cancelTellOnline] as const;
