import { answerWords } from '../messages/modal.ts';
import { defineCommand } from '../commands/command.ts';
import type { Surface } from '../commands/catalog.ts';
import { subscriptionOffer } from './messages.ts';
import { typedSubscription } from './request.ts';
import type { createSubscriptions } from './subscriptions.ts';

export const createSubscribeCommand = (
  service: ReturnType<typeof createSubscriptions>['service'],
  forms: Surface,
) =>
  defineCommand({
    name: 'subscribe',
    usage: 'subscribe [#channel] [filters] [short, full or in thread]',
    summary: 'Post session summaries in a channel, for all sessions or some',
    right: 'subscribe',
    examples: [
      'subscribe #support tag:vip min 5m',
      'subscribe',
      'subscribe all',
      'subscribe by @alex or @support-leads short',
      'subscribe longer than 10 minutes in thread',
    ],
    needs: 'sessionEnds',
    argument: typedSubscription,
    run: async (request, caller) =>
      request === undefined
        ? ((await service.refuse(caller)) ?? subscriptionOffer())
        : answerWords(await service.subscribe(request, caller)),
    ...forms,
  });
