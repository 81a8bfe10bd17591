import { answerWords } from '../messages/modal.ts';
import { asked } from '../commands/allowed.ts';
import { defineCommand } from '../commands/command.ts';
import { offerForm, subscriptionForms } from './form.ts';
import { typedSubscription } from './request.ts';

export const subscribeCommand = defineCommand({
  name: 'subscribe',
  usage: 'subscribe [#channel] [filters] [short, full or in thread]',
  summary: 'Post session summaries in a channel, for all sessions or some',
  examples: [
    'subscribe #support tag:vip min 5m',
    'subscribe',
    'subscribe all',
    'subscribe by @alex or @support-leads short',
    'subscribe longer than 10 minutes in thread',
  ],
  needs: 'sessionEnds',
  argument: typedSubscription,
  run: (request, caller, services) =>
    request === undefined
      ? offerForm(caller, services)
      : asked('subscribe', { caller, services }, async () =>
          answerWords(await services.subscriptions.subscribe(request, caller)),
        ),
  ...subscriptionForms,
});
