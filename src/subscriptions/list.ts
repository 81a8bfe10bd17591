import { z } from 'zod';
import { defineCommand, definePress } from '../commands/command.ts';
import { Answered } from '../commands/rights.ts';
import { nothing, plainTyped } from '../commands/typed.ts';
import {
  button,
  buttons,
  heading,
  lines,
  message,
  notice,
  type Message,
  type Part,
} from '../messages/message.ts';
import { bold, code, date, plainDate, say, user, type Line } from '../messages/text.ts';
import type { App } from '../parts.ts';
import { rightUnknown, type Actor, neverMay } from '../permissions/permissions.ts';
import { announce, entryBy, managed, maySee, mustManage, tellAndWrite } from './managing.ts';
import {
  contentInWords,
  noSuchSubscription,
  noneIn,
  placeOf,
  subscriptionsNotShown,
  summariesEnded,
  summariesResumed,
  unsubscribed,
} from './messages.ts';
import { resumed, stillPaused, whatToDo, whyNoPosts, type Pauses } from './pauses.ts';
import type { SubscriptionRepository } from './repository.ts';
import { notUnderstood } from './subscribe.ts';
import { kindOf, subscriptionId, type Subscription } from './subscription.ts';

type ListedSubscription = Subscription & { readonly isHidden: boolean };

function stateLine({ paused, channelId, isHidden }: ListedSubscription): Line {
  if (paused === undefined) return ['Active.'];
  const next = !isHidden && say` ${whatToDo(paused.reason, channelId)}`;
  return say`${bold('Paused')} since ${plainDate(new Date(paused.since))}: ${whyNoPosts(paused.reason)}.${next}`;
}

function rowOf(one: ListedSubscription): readonly Part[] {
  const { id, channelId, setUpBy, setUpAt, isHidden } = one;
  const place = isHidden ? 'a private channel you aren’t in' : placeOf(channelId);
  const does = (text: string, actionId: string) => ({
    text,
    actionId,
    value: id,
    label: `${text} subscription ${id}`,
  });
  return [
    lines(
      say`${bold(`${id}. `)}${place}: ${contentInWords(one)}.`,
      say`Set up by ${user(setUpBy)} · ${date(new Date(setUpAt))} · ${stateLine(one)}`,
    ),
    buttons(
      one.paused && button(does('Resume', 'resume_subscription')),
      !isHidden && button(does('Edit', 'edit_subscription')),
      button({
        ...does('Remove', 'unsubscribe'),
        confirm: {
          title: 'Remove this subscription?',
          text: `Subscription ${id} ends, and the channel is told.`,
          yes: 'Remove',
          no: 'Keep it',
        },
      }),
    ),
  ];
}

const hiddenWords = (hidden: number) => `${hidden} more in private channels you aren’t in.`;

/** All of these fit in a message's text, which screen readers read. */
const SHOWN = 15;

export const subscriptionList = (listed: readonly ListedSubscription[], hidden: number, isAll: boolean) =>
  message(
    heading('Subscriptions'),
    ...listed.flatMap(rowOf),
    hidden > 0 && lines([hiddenWords(hidden)]),
    !isAll && lines([`These are ${SHOWN} of them. Type it in a channel to see that channel’s first.`]),
  );

const noSubscriptions = (hidden: number): Message =>
  notice(
    [`No channel you can see has a subscription.${hidden === 0 ? '' : ` ${hiddenWords(hidden)}`}`],
    say`Set one up with ${code('/cobrowse subscribe')}.`,
  );

const press = { answer: 'add', right: 'subscribe', value: subscriptionId } as const;

export function createSubscriptionsCommand(
  app: App,
  repository: SubscriptionRepository,
  pauses: Pick<Pauses, 'worked'>,
) {
  async function list(caller: Actor): Promise<Message> {
    const { workspaceId, userId, channelId } = caller;
    const membership = await app.profileOf(workspaceId, userId).catch(rightUnknown);
    const never = neverMay(membership);
    if (never !== undefined) {
      await app.recordRefusal('subscriptions', never, caller);
      throw new Answered(subscriptionsNotShown());
    }
    const isHere = (one: Subscription) => Number(one.channelId === channelId);
    const all = (await repository.of(workspaceId)).toSorted((one, other) => isHere(other) - isHere(one));
    const listed: ListedSubscription[] = [];
    let hidden = 0;
    for (const one of all) {
      if (listed.length === SHOWN) break;
      const isShown = await maySee(app, caller, one, membership.isGuest);
      // Admins can remove it, so they see that there is one, but not where.
      if (isShown || membership.isAdmin) listed.push({ ...one, isHidden: !isShown });
      else hidden += 1;
    }
    if (listed.length === 0) return noSubscriptions(hidden);
    return subscriptionList(listed, hidden, listed.length + hidden === all.length);
  }

  async function tryAgain(id: string, caller: Actor): Promise<Message> {
    const { workspaceId, userId } = caller;
    const one = await managed(app, caller, await repository.one(workspaceId, id));
    const left = await tellAndWrite(
      app,
      one,
      summariesResumed(userId, one),
      async () => {
        await pauses.worked(workspaceId, one.channelId, entryBy(app, caller, 'resumed'));
        // Someone may have removed it meanwhile.
        return repository.one(workspaceId, id);
      },
      ({ reason }) => stillPaused(one, reason),
    );
    return left === undefined ? noSuchSubscription() : resumed(one);
  }

  return defineCommand({
    name: 'subscriptions',
    usage: 'subscriptions',
    summary: 'List subscriptions, and which are paused',
    right: 'subscriptions',
    argument: nothing('It always lists all that you may see.'),
    run: (_nothing, caller) => list(caller),
    presses: [definePress({ ...press, actionId: 'resume_subscription', run: tryAgain })],
  });
}

/** One by its number, or those of a channel; by default the one they're in. */
type Which = Partial<Pick<Subscription, 'id' | 'channelId'>>;

export const whichSubscription = z.string().transform((text, context): Which => {
  const typed = plainTyped(text);
  if (typed === '' || typed.toLowerCase() === 'here') return {};
  const number = /^(?:no\.?|number|#)?\s*([1-9]\d{0,5})$/i.exec(typed)?.[1];
  if (number !== undefined) return { id: number };
  const channelId = /^<#([CDG][A-Z0-9]+)(?:\|[^<>]*)?>$/.exec(typed)?.[1];
  if (channelId !== undefined) return { channelId };
  context.addIssue(
    `${notUnderstood(typed)} Choose a channel from Slack’s list while typing, or type a number.`,
  );
  return z.NEVER;
});

export function createUnsubscribe(app: App, repository: SubscriptionRepository) {
  async function remove({ workspaceId, id }: Subscription, caller: Actor): Promise<Message> {
    const removed = await repository.remove(workspaceId, id, entryBy(app, caller, 'removed'));
    if (removed === undefined) return noSuchSubscription();
    // If the channel doesn't accept posts, it needn't be told.
    await announce(app, removed, summariesEnded(caller.userId, removed));
    return unsubscribed(removed);
  }

  const end = async (id: string, caller: Actor): Promise<Message> =>
    remove(await managed(app, caller, await repository.one(caller.workspaceId, id)), caller);

  /** A channel's subscription, the caller's without one, or its digest; asks which one if there are several. */
  async function endIn(channelId: string | undefined, caller: Actor, isDigest = false): Promise<Message> {
    if (channelId === undefined) return noSuchSubscription();
    await mustManage(app, caller, channelId);
    const [only, ...others] = (await repository.of(caller.workspaceId)).filter(
      (one) => one.channelId === channelId && (!isDigest || kindOf(one) === 'digest'),
    );
    if (only === undefined) return noneIn(channelId, isDigest);
    if (others.length === 0) return remove(only, caller);
    const choices = [only, ...others].slice(0, SHOWN);
    return message(heading('Which one?'), ...choices.flatMap((one) => rowOf({ ...one, isHidden: false })));
  }

  const command = defineCommand({
    name: 'unsubscribe',
    usage: 'unsubscribe [#channel or number]',
    summary: 'Turn off summaries (without a channel, here)',
    right: 'subscribe',
    examples: ['unsubscribe', 'unsubscribe #support', 'unsubscribe 3'],
    argument: whichSubscription,
    run: ({ id, channelId }, caller) =>
      id === undefined ? endIn(channelId ?? caller.channelId, caller) : end(id, caller),
    presses: [definePress({ ...press, actionId: 'unsubscribe', run: end })],
  });
  return { command, endIn };
}
