import { ACTION } from '../messages/action-ids.ts';
import { noSuchSubscription } from './messages.ts';
import { asked } from '../commands/allowed.ts';
import { defineCommand } from '../commands/command.ts';
import { definePress } from '../commands/press.ts';
import { subscriptionId, whichSubscription } from './request.ts';

export const unsubscribeCommand = defineCommand({
  name: 'unsubscribe',
  usage: 'unsubscribe [#channel or number]',
  summary: 'Turn off summaries (without a channel, here)',
  examples: ['unsubscribe', 'unsubscribe #support', 'unsubscribe 3'],
  needs: 'sessionEnds',
  argument: whichSubscription,
  run: (which, caller, services) =>
    asked('subscribe', { caller, services }, async () => {
      const { subscriptions } = services;
      if (which !== 'here' && 'id' in which) return subscriptions.end(which.id, caller);
      const channelId = which === 'here' ? caller.channelId : which.channelId;
      return channelId === undefined ? noSuchSubscription() : subscriptions.endIn(channelId, caller);
    }),
  presses: [
    definePress({
      actionId: ACTION.unsubscribe,
      answer: 'add',
      value: subscriptionId,
      run: (id, caller, services) =>
        asked('subscribe', { caller, services }, () => services.subscriptions.end(id, caller)),
    }),
  ],
});
