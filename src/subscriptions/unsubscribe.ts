import { z } from 'zod';
import { defineCommand } from '../commands/command.ts';
import { definePress } from '../commands/press.ts';
import { plainTyped } from '../commands/typed.ts';
import { ACTION } from '../messages/action-ids.ts';
import { noSuchSubscription } from './messages.ts';
import { complaintAbout } from './subscribe.ts';
import { subscriptionId } from './subscription.ts';
import type { createSubscriptions } from './subscriptions.ts';

/** Which subscription is meant: one by its number, those of a channel, or those of the channel one is in. */
type Which = { readonly id: string } | { readonly channelId: string } | 'here';

export const whichSubscription = z.string().transform((text, context): Which => {
  const typed = plainTyped(text);
  if (typed === '' || typed.toLowerCase() === 'here') return 'here';
  const number = /^(?:no\.?|number|#)?\s*([1-9]\d{0,5})$/i.exec(typed)?.[1];
  if (number !== undefined) return { id: number };
  const channelId = /^<#([CDG][A-Z0-9]+)(?:\|[^<>]*)?>$/.exec(typed)?.[1];
  if (channelId !== undefined) return { channelId };
  context.addIssue(complaintAbout([typed]));
  return z.NEVER;
});

export const createUnsubscribeCommand = ({ end, endIn }: ReturnType<typeof createSubscriptions>['service']) =>
  defineCommand({
    name: 'unsubscribe',
    usage: 'unsubscribe [#channel or number]',
    summary: 'Turn off summaries (without a channel, here)',
    right: 'subscribe',
    examples: ['unsubscribe', 'unsubscribe #support', 'unsubscribe 3'],
    needs: 'sessionEnds',
    argument: whichSubscription,
    async run(which, caller) {
      if (which !== 'here' && 'id' in which) return end(which.id, caller);
      const channelId = which === 'here' ? caller.channelId : which.channelId;
      return channelId === undefined ? noSuchSubscription() : endIn(channelId, caller);
    },
    presses: [
      definePress({
        actionId: ACTION.unsubscribe,
        answer: 'add',
        right: 'subscribe',
        value: subscriptionId,
        run: end,
      }),
    ],
  });
