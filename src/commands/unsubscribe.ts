import { ACTION } from '../views/action-ids.ts';
import { noSuchSubscription } from '../views/subscriptions.ts';
import { defineCommand } from './command.ts';
import { definePress } from './press.ts';
import { subscriptionId, whichSubscription } from './subscription-wish.ts';

export const unsubscribeCommand = defineCommand({
  name: 'unsubscribe',
  usage: 'unsubscribe [#channel or number]',
  summary: 'End the summaries of a channel; alone it means this channel.',
  examples: ['unsubscribe', 'unsubscribe #support', 'unsubscribe 3'],
  argument: whichSubscription,
  async run(which, caller, { subscriptions }) {
    if (which !== 'here' && 'id' in which) return subscriptions.end(which.id, caller);
    const channelId = which === 'here' ? caller.channelId : which.channelId;
    return channelId === undefined ? noSuchSubscription() : subscriptions.endIn(channelId, caller);
  },
  presses: [
    definePress({
      actionId: ACTION.unsubscribe,
      answer: 'add',
      value: subscriptionId,
      run: (id, caller, { subscriptions }) => subscriptions.end(id, caller),
    }),
  ],
});
