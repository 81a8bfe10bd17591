import { z } from 'zod';
import { ACTION } from '../views/action-ids.ts';
import type { Message } from '../views/message.ts';
import { asked } from './allowed.ts';
import type { Caller } from './caller.ts';
import { defineCommand } from './command.ts';
import { definePress } from './press.ts';
import type { Uses } from './services.ts';
import { freeText } from './slack-input.ts';
import { subscriptionId } from './subscription-request.ts';

function list(after: number, caller: Caller, services: Uses<'subscriptions' | 'record'>): Promise<Message> {
  return asked('subscriptions', { caller, services }, () => services.subscriptions.list(after, caller));
}

export const subscriptionsCommand = defineCommand({
  name: 'subscriptions',
  usage: 'subscriptions',
  summary: 'List subscriptions, and which are paused',
  needs: 'sessionEnds',
  argument: freeText,
  run: (_nothing, caller, services) => list(0, caller, services),
  presses: [
    definePress({
      actionId: ACTION.moreSubscriptions,
      answer: 'replace',
      value: z
        .string()
        .regex(/^\d{1,6}$/)
        .transform(Number),
      run: list,
    }),
    definePress({
      actionId: ACTION.resumeSubscription,
      answer: 'add',
      value: subscriptionId,
      run: (id, caller, services) =>
        asked('subscribe', { caller, services }, () => services.subscriptions.resume(id, caller)),
    }),
  ],
});
