import { asked } from './allowed.ts';
import { defineCommand } from './command.ts';
import { subscriptionWish } from './subscription-wish.ts';

export const subscribeCommand = defineCommand({
  name: 'subscribe',
  usage: 'subscribe [#channel] [filters] [short, full or in thread]',
  summary: 'Send a channel the summaries of all sessions, or of some.',
  examples: [
    'subscribe',
    'subscribe #support tag:vip min 5m',
    'subscribe by @alex or @support-leads short',
    'subscribe longer than 10 minutes in thread',
  ],
  argument: subscriptionWish,
  run: (wish, caller, services) =>
    asked('subscribe', { caller, services }, () => services.subscriptions.subscribe(wish, caller)),
});
