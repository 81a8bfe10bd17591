import { answerWords } from '../views/modal.ts';
import { noSuchSubscription } from '../views/subscriptions.ts';
import { asked, ifAllowed } from './allowed.ts';
import { defineCommand } from './command.ts';
import { digestRequest } from './digest-request.ts';

export const digestCommand = defineCommand({
  name: 'digest',
  usage: 'digest [#channel] <daily 09:00, weekly monday 09:00 or off>',
  summary: 'Post a daily or weekly digest (your time zone)',
  examples: ['digest daily 09:00', 'digest #support weekly monday 9am', 'digest off'],
  needs: 'sessionEnds',
  argument: digestRequest,
  run: ({ channelId, schedule }, caller, services) =>
    asked('subscribe', { caller, services }, async () => {
      const { subscriptions } = services;
      if (schedule !== 'off')
        // It shows the numbers of `usage`, whatever the channel.
        return ifAllowed('usage', { caller, services }, async () =>
          answerWords(await subscriptions.digest(channelId, schedule, caller)),
        );
      const place = channelId ?? caller.channelId;
      return place === undefined ? noSuchSubscription() : subscriptions.endIn(place, caller, true);
    }),
});
