import { z } from 'zod';
import { defineCommand, type Surface } from '../commands/command.ts';
import { plainTyped, unescapeSlack } from '../commands/typed.ts';
import { answerWords } from '../messages/modal.ts';
import type { Form } from '../outbox/delivery.ts';
import { subscriptionOffer } from './messages.ts';
import type { SetUp } from './set-up.ts';
import type { Filters, SubscriptionRequest } from './subscription.ts';

const LONGEST = 1_000;
export const LONGEST_TAG = 60;
export const MOST_OF_A_KIND = 10;
/** Where it isn't said. */
export const REMIND_MINUTES = 5;
const LONGEST_MIN_SECONDS = 24 * 60 * 60;

interface Draft {
  channelId?: string;
  form?: Form;
  minSeconds?: number;
  remindMinutes?: number;
  readonly agents: string[];
  readonly groups: Filters['groups'];
  readonly tags: string[];
}

class Complaint extends Error {}

/** Matched at the start of the text. `take` throws a Complaint if it's wrong. */
interface Clause {
  readonly pattern: RegExp;
  readonly take: (draft: Draft, match: RegExpExecArray) => void;
}

const SECONDS_OF: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600 };

const LENGTH = /(\d{1,5}(?:\.\d)?)\s*(s|m|h)?(?:ecs?|ins?|ours?|rs?|econds?|inutes?)?/.source;
const ONLY_LENGTH = new RegExp(`^${LENGTH}$`, 'i');

/** A length as typed, "5", "90s" or "1.5 hours", in seconds; a bare number means minutes. A string says what is wrong. */
export function lengthIn(text: string): number | string {
  const [, number, unit = 'm'] = ONLY_LENGTH.exec(text.trim()) ?? [];
  if (number === undefined) return 'Type a length such as 5m, 90s or 1h.';
  const seconds = Math.round(Number(number) * (SECONDS_OF[unit.toLowerCase()] ?? 60));
  return seconds > LONGEST_MIN_SECONDS ? 'The minimum length can’t be more than a day.' : seconds;
}

const takeForm =
  (form: Form): Clause['take'] =>
  (draft) => {
    // "short in thread" is just a thread: that is short with the rest as replies.
    if (draft.form !== undefined && draft.form !== form && [draft.form, form].includes('full'))
      throw new Complaint('Choose one of full, short or in thread.');
    draft.form = draft.form === 'thread' ? 'thread' : form;
  };

/** In the order in which they are tried. Ids come in Slack's escaped forms. */
const CLAUSES: readonly Clause[] = [
  {
    pattern: /^<#([CDG][A-Z0-9]+)(?:\|[^<>]*)?>/,
    take(draft, [, id = '']) {
      if (draft.channelId !== undefined && draft.channelId !== id)
        throw new Complaint('One channel at a time, please.');
      draft.channelId = id;
    },
  },
  { pattern: /^<@([UW][A-Z0-9]+)(?:\|[^<>]*)?>/, take: (draft, [, id = '']) => draft.agents.push(id) },
  {
    pattern: /^<!subteam\^(S[A-Z0-9]+)(?:\|@?([^<>]*))?>/,
    take: (draft, [, id = '', handle = '']) =>
      draft.groups.push({ id, handle: unescapeSlack(handle) || undefined }),
  },
  { pattern: /^(S[A-Z0-9]{8,20})(?![\w-])/, take: (draft, [, id = '']) => draft.groups.push({ id }) },
  {
    pattern: /^tag(?:ged)?\s*[:=\s]\s*(?:"([^"]+)"|'([^']+)'|((?:&\w+;|[^\s,;])+))/i,
    take(draft, [, double, single, bare]) {
      const tag = unescapeSlack(double ?? single ?? bare ?? '').replace(/^#/, '');
      if (tag === '' || tag.length > LONGEST_TAG)
        throw new Complaint(`A tag has 1 to ${LONGEST_TAG} characters.`);
      draft.tags.push(tag);
    },
  },
  {
    pattern: new RegExp(
      String.raw`^(?:min(?:imum)?|longer than|over|at least|from)\s*[:=]?\s*(${LENGTH})(?!\w)`,
      'i',
    ),
    take(draft, [, length = '']) {
      const seconds = lengthIn(length);
      if (typeof seconds === 'string') throw new Complaint(seconds);
      draft.minSeconds = seconds;
    },
  },
  {
    pattern: /^wait(?:s|ing)?(?: for help)?(?!\w)/i,
    take: (draft) => (draft.remindMinutes = REMIND_MINUTES),
  },
  { pattern: /^(?:in )?(?:an? |the )?threads?(?!\w)/i, take: takeForm('thread') },
  { pattern: /^(?:in )?short(?!\w)/i, take: takeForm('short') },
  { pattern: /^(?:in )?full(?!\w)/i, take: takeForm('full') },
  {
    pattern:
      /^(?:all|every|sessions?|summar(?:y|ies)|by|from|and|or|with|of|to|for|in|here|only|the|agents?|customers?|visitors?)(?!\w)|^[,;.+]/i,
    take: () => undefined,
  },
];

export const notUnderstood = (text: string) => `I didn’t understand “${unescapeSlack(text).slice(0, 60)}”.`;

/** @throws Complaint */
function readInto(draft: Draft, text: string): void {
  let rest = text.trim();
  while (rest !== '') {
    const clause = CLAUSES.find(({ pattern }) => pattern.test(rest));
    const match = clause?.pattern.exec(rest) ?? undefined;
    if (match === undefined)
      throw new Complaint(
        `${notUnderstood(rest)} Choose channels, people and groups from Slack’s list while typing. For a tag, type tag:vip.`,
      );
    clause?.take(draft, match);
    rest = rest.slice(match[0].length).trimStart();
  }
  const { remindMinutes, form, minSeconds, agents, groups, tags } = draft;
  if (remindMinutes && (form ?? minSeconds ?? agents[0] ?? groups[0] ?? tags[0]) !== undefined)
    throw new Complaint(
      'Customers who wait can’t be filtered: type waiting, and a channel if it isn’t this one.',
    );
  const most = MOST_OF_A_KIND;
  if ([agents, groups, tags].some(({ length }) => length > most))
    throw new Complaint(`At most ${most} people, ${most} groups and ${most} tags.`);
}

/** "#channel by @alex, @support-leads tag:vip min 5m in thread", in any order, as people write it. Undefined if empty. */
export const subscriptionRequest = z.string().transform((text, context): SubscriptionRequest | undefined => {
  const typed = plainTyped(text);
  if (typed === '') return undefined;
  const draft: Draft = { agents: [], groups: [], tags: [] };
  try {
    if (typed.length > LONGEST) throw new Complaint(`That’s too long: the limit is ${LONGEST} characters.`);
    readInto(draft, typed);
  } catch (error) {
    if (!(error instanceof Complaint)) throw error;
    context.addIssue(error.message);
    return z.NEVER;
  }
  const { channelId, form = 'full', remindMinutes, minSeconds, agents, groups, tags } = draft;
  return {
    channelId,
    form,
    remindMinutes,
    filters: {
      agents: [...new Set(agents)],
      groups: [...new Map(groups.map((group) => [group.id, group])).values()],
      tags: [...new Map(tags.map((tag) => [tag.toLowerCase(), tag])).values()],
      minSeconds: minSeconds || undefined,
    },
  };
});

export const createSubscribeCommand = (setUp: SetUp, forms: Surface) =>
  defineCommand({
    name: 'subscribe',
    usage: 'subscribe [#channel] [filters] [short, full or in thread]',
    summary: 'Post session summaries, or customers waiting for help, in a channel',
    right: 'subscribe',
    examples: [
      'subscribe #support tag:vip min 5m',
      'subscribe',
      'subscribe all',
      'subscribe by @alex or @support-leads short',
      'subscribe longer than 10 minutes in thread',
      'subscribe waiting',
    ],
    argument: subscriptionRequest,
    run: async (request, caller) =>
      request === undefined
        ? ((await setUp.refuse(caller)) ?? subscriptionOffer())
        : answerWords(await setUp.subscribe(request, caller)),
    ...forms,
  });
