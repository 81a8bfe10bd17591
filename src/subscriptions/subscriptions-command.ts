import { z } from 'zod';
import { ACTION } from '../messages/action-ids.ts';
import type { Message } from '../messages/message.ts';
import { asked } from '../commands/allowed.ts';
import type { Caller } from '../commands/caller.ts';
import { defineCommand } from '../commands/command.ts';
import { definePress } from '../commands/press.ts';
import type { Uses } from '../services.ts';
import { freeText } from '../commands/slack-input.ts';
import { subscriptionId } from './request.ts';

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
