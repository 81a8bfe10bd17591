import { z } from 'zod';
import { ACTION } from '../messages/action-ids.ts';
import { defineCommand } from '../commands/command.ts';
import { definePress } from '../commands/press.ts';
import { nothing } from '../commands/typed.ts';
import { subscriptionId } from './subscription.ts';
import type { createSubscriptions } from './subscriptions.ts';

export const createSubscriptionsCommand = ({
  list,
  resume,
}: ReturnType<typeof createSubscriptions>['service']) =>
  defineCommand({
    name: 'subscriptions',
    usage: 'subscriptions',
    summary: 'List subscriptions, and which are paused',
    right: 'subscriptions',
    needs: 'sessionEnds',
    argument: nothing('It always lists all that you may see.'),
    run: (_nothing, caller) => list(0, caller),
    presses: [
      definePress({
        actionId: ACTION.moreSubscriptions,
        answer: 'replace',
        right: 'subscriptions',
        value: z
          .string()
          .regex(/^\d{1,6}$/)
          .transform(Number),
        run: list,
      }),
      definePress({
        actionId: ACTION.resumeSubscription,
        answer: 'add',
        right: 'subscribe',
        value: subscriptionId,
        run: resume,
      }),
    ],
  });
