import { z } from 'zod';
import { ACTION } from '../views/action-ids.ts';
import { defineCommand } from './command.ts';
import { definePress } from './press.ts';
import { freeText } from './slack-input.ts';
import { subscriptionId } from './subscription-wish.ts';

export const subscriptionsCommand = defineCommand({
  name: 'subscriptions',
  usage: 'subscriptions',
  summary: 'Show which channels get summaries by subscription, and which are paused.',
  argument: freeText,
  run: (_nothing, caller, { subscriptions }) => subscriptions.list(0, caller),
  presses: [
    definePress({
      actionId: ACTION.moreSubscriptions,
      answer: 'replace',
      value: z
        .string()
        .regex(/^\d{1,6}$/)
        .transform(Number),
      run: (after, caller, { subscriptions }) => subscriptions.list(after, caller),
    }),
    definePress({
      actionId: ACTION.resumeSubscription,
      answer: 'add',
      value: subscriptionId,
      run: (id, caller, { subscriptions }) => subscriptions.resume(id, caller),
    }),
  ],
});
