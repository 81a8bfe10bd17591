import { defineCommand } from '../commands/command.ts';
import { definePress } from '../commands/press.ts';
import { ACTION } from '../messages/action-ids.ts';
import { noSuchSubscription } from './messages.ts';
import { subscriptionId, whichSubscription } from './request.ts';
import type { createSubscriptions } from './subscriptions.ts';

export const createUnsubscribeCommand = ({ end, endIn }: ReturnType<typeof createSubscriptions>['service']) =>
  defineCommand({
    name: 'unsubscribe',
    usage: 'unsubscribe [#channel or number]',
    summary: 'Turn off summaries (without a channel, here)',
    right: 'subscribe',
    examples: ['unsubscribe', 'unsubscribe #support', 'unsubscribe 3'],
    needs: 'sessionEnds',
    argument: whichSubscription,
    async run(which, caller) {
      if (which !== 'here' && 'id' in which) return end(which.id, caller);
      const channelId = which === 'here' ? caller.channelId : which.channelId;
      return channelId === undefined ? noSuchSubscription() : endIn(channelId, caller);
    },
    presses: [
      definePress({
        actionId: ACTION.unsubscribe,
        answer: 'add',
        right: 'subscribe',
        value: subscriptionId,
        run: end,
      }),
    ],
  });
