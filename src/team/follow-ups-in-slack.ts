import { z } from 'zod';
import type { NewEntry } from '../audit/audit.ts';
import type { Caller, Viewer } from '../commands/caller.ts';
import { defineCommand } from '../commands/command.ts';
import { defineForm, type Complaints, type Filled } from '../commands/form.ts';
import { definePress, jsonText } from '../commands/press.ts';
import { Answered } from '../commands/rights.ts';
import { isForbidden, plainTyped } from '../commands/typed.ts';
import { ACTION, FOLLOW_UP_FORM as FORM } from '../messages/action-ids.ts';
import { weekdayOf, zoneOf as zoneIn } from '../messages/days.ts';
import { filledValues } from '../messages/form-fields.ts';
import { problem, type Message, type Part } from '../messages/message.ts';
import type { FormContent, Unsaved } from '../messages/modal.ts';
import { visitorIfKnown, visitorName } from '../messages/visitor-pieces.ts';
import { readPayload, unknownNow } from '../outbox/delivery.ts';
import type { Kind } from '../outbox/kind.ts';
import type { App } from '../parts.ts';
import { canLook, rightUnknown } from '../permissions/acts.ts';
import { isChannel } from '../permissions/slack-ids.ts';
import type { SessionEnd, SessionEnds } from '../sessions/session-ends.ts';
import type { SummaryAddress } from '../sessions/posted-summaries.ts';
import {
  LONGEST_LINE,
  alreadySet,
  channelRefused,
  followUpDone,
  followUpDue,
  followUpDueUnseen,
  followUpForm,
  followUpGone,
  followUpHanded,
  followUpList,
  followUpSet,
  followUpsOfWhoLeft,
  handForm,
  notYours,
  othersRefused,
  outcomeChanged,
  ownFollowUps,
  type FilledWhen,
  type FollowUpList,
} from './follow-up-messages.ts';
import { MOST_DAYS, dueAt, nextWorkday, thisAfternoon, type When } from './follow-up-times.ts';
import { FollowUpPayload, type Chosen, type FollowUp, type FollowUps, type Whose } from './follow-ups.ts';

/** Rows of a page, and of Home. */
const PAGE = 5;
const USUAL_TIME = '09:00';
const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'];

/**
 * The direct message that a follow-up is due, or was handed on. All that it says is read when it's sent, from the follow-up as
 * it is then.
 */
export const createFollowUpKind = (
  { mayAct, cobrowseOf, record, now }: App,
  followUps: FollowUps,
  sessionEnds: SessionEnds,
  summaryAddress: SummaryAddress,
): Kind => ({
  name: 'follow-up',
  isNoLoss: true,
  async compose({ workspaceId, channelId: userId, payload }) {
    const { endId, version, isHanded } = readPayload(FollowUpPayload, payload);
    const followUp = await followUps.find(workspaceId, endId);
    if (followUp?.version !== version) return { unwanted: 'superseded' };
    const verdict = await mayAct('watch', { workspaceId, userId }).catch(unknownNow);
    // Guests, too: it's theirs, and they hand it on.
    if (!verdict.allowed && !canLook(verdict) && verdict.why !== 'guest') return { unwanted: verdict.why };
    return {
      async message() {
        if (!verdict.allowed) return followUpDueUnseen(followUp, isHanded);
        const { visitorId } = followUp;
        const visitor =
          visitorId === '' ? undefined : await visitorIfKnown(cobrowseOf, workspaceId, visitorId);
        const [end] = await sessionEnds.byIds([endId]);
        const summaryUrl = end && (await summaryAddress(end));
        const isDue = followUp.dueAt.getTime() <= now();
        return followUpDue(followUp, visitor, { isHanded, isDue, summaryUrl });
      },
    };
  },
  async told({ workspaceId, channelId: userId, payload }, told) {
    if (told.outcome === 'later' || (told.outcome === 'skipped' && told.reason === 'superseded')) return;
    const { endId } = readPayload(FollowUpPayload, payload);
    const visitorId = (await followUps.find(workspaceId, endId))?.visitorId;
    const outcome = told.outcome === 'posted' ? 'sent' : told.reason;
    await record({ workspaceId, userId, visitorId, action: 'follow-up', outcome });
  },
});

function complaints(filled: Filled): Complaints {
  const { [FORM.whenBlock]: when, [FORM.dayBlock]: day, [FORM.lineBlock]: line = '' } = filledValues(filled);
  return {
    [FORM.whenBlock]: !when && 'Choose when.',
    [FORM.dayBlock]:
      when === 'day' ? !day && 'Choose the day.' : day && 'Choose “On this day” above, or clear the day.',
    [FORM.lineBlock]: line.length > LONGEST_LINE && `At most ${LONGEST_LINE} characters, please.`,
  };
}

function whenOf({ when, day = '', time }: FilledWhen): When {
  if (when === 'day') return { is: 'day', day, time: time || USUAL_TIME };
  if (when === 'hour') return { is: 'hour' };
  return { is: when === 'today' ? 'afternoon' : 'workday' };
}

/** That it was done, for the audit: never what somebody wrote. */
const entryOf = (
  { workspaceId, userId, channelId }: Caller,
  visitorId: string,
  outcome: string,
  detail?: NewEntry['detail'],
): NewEntry => ({
  workspaceId,
  userId,
  channelId,
  visitorId: visitorId || undefined,
  action: 'follow-up',
  outcome,
  detail,
});

/** Whose follow-ups, as typed: nothing for one's own, a person, or a channel. */
const Typed = z
  .string()
  .transform(plainTyped)
  .transform((text, context): Whose => {
    const [, kind, id = ''] = /^<([@#])([A-Z0-9]{1,40})(?:\|[^<>]*)?>$/.exec(text) ?? [];
    if (kind === '#') return { channelId: id };
    if (kind === '@') return { userIds: [id] };
    if (text === '') return { userIds: [] };
    context.addIssue('Name a person or a channel, such as @sam or #support, or nothing for your own.');
    return z.NEVER;
  });

/** A page of somebody's list, as its "More" button names it. */
const Page = z.union([
  z.object({ userIds: z.array(z.string()).max(1), from: z.int().min(0) }),
  z.object({ channelId: z.string(), from: z.int().min(0) }),
]);

/**
 * Setting a follow-up, and what can be done with one: Done, Later, Hand to…, for whoever has it and for admins. Asked when
 * it's done, since the buttons stay in direct messages.
 */
export function createFollowUpForms(
  { mayAct, isAdmin, recordRefusal, profileOf, now }: App,
  followUps: FollowUps,
) {
  const zoneOf = async ({ workspaceId, userId }: Caller): Promise<string> =>
    zoneIn(await profileOf(workspaceId, userId).catch(rightUnknown));

  /** The fields, empty or as filled in. @param said above them */
  async function formFor(caller: Caller, filled?: FilledWhen, said?: Message): Promise<FormContent> {
    // Where Slack doesn't say, sending it in asks again.
    const zone = await zoneOf(caller).catch(() => undefined);
    const choosable = {
      hasAfternoon: zone === undefined || thisAfternoon(zone, now()) !== undefined,
      workday: zone && WEEKDAYS[weekdayOf(nextWorkday(zone, now())) - 1],
    };
    return followUpForm(filled ?? { when: 'tomorrow', time: USUAL_TIME, line: '' }, choosable, said);
  }

  async function chosen(filled: FilledWhen, caller: Caller): Promise<Chosen | Unsaved> {
    const complain = async (block: string, words: string): Promise<Unsaved> => ({
      complaints: { [block]: words },
      again: await formFor(caller, filled, problem([words])),
    });
    const { line = '' } = filled;
    if (isForbidden(line, caller))
      return complain(
        FORM.lineBlock,
        'That looks like a watch link. Leave it out: anyone who has it can see the screen.',
      );
    const when = whenOf(filled);
    const at = dueAt(when, await zoneOf(caller), now());
    if (at !== undefined) return { dueAt: Math.round(at), line: line || undefined };
    if (when.is === 'afternoon')
      return complain(FORM.whenBlock, 'It’s too late for today. Choose another time.');
    const soon = `Choose a time that’s still to come, at most ${MOST_DAYS} days from now.`;
    return complain(FORM.dayBlock, soon);
  }

  /** One that the caller can change. @throws Answered */
  async function theirs(endId: string, caller: Caller): Promise<FollowUp> {
    const followUp = await followUps.find(caller.workspaceId, endId);
    if (followUp === undefined) throw new Answered(followUpGone);
    if (followUp.userId === caller.userId || (await isAdmin(caller))) return followUp;
    await recordRefusal('follow-up', 'someone-else', caller);
    throw new Answered(notYours(followUp));
  }

  /** @throws Answered where somebody else was faster */
  async function changed({ workspaceId, endId }: FollowUp, change: Promise<boolean>): Promise<void> {
    if (await change) return;
    const followUp = await followUps.find(workspaceId, endId);
    throw new Answered(followUp === undefined ? followUpGone : notYours(followUp));
  }

  const form = { busy: 'Saving…', redraws: 'renew', closes: true, right: 'everybody' } as const;

  const laterForm = defineForm({
    ...form,
    callbackId: FORM.laterCallbackId,
    title: 'Follow up later',
    complaints,
    async run({ filled, about }, caller) {
      const followUp = await theirs(about, caller);
      const values = filledValues(filled);
      const choice = await chosen(values, caller);
      if ('complaints' in choice) return choice;
      const line = values[FORM.lineBlock] === undefined ? followUp.line : choice.line;
      const entry = entryOf(caller, followUp.visitorId, 'later', { line: line !== undefined });
      await changed(followUp, followUps.later(followUp, { ...choice, line }, entry));
      return followUpSet(choice.dueAt, followUp.userId === caller.userId ? undefined : followUp.userId);
    },
  });

  const handOverForm = defineForm({
    ...form,
    callbackId: FORM.handCallbackId,
    title: 'Hand over follow-up',
    complaints: ({ [FORM.personBlock]: person }) => ({
      [FORM.personBlock]: person?.[0] === undefined && 'Choose a person.',
    }),
    async run({ filled, about }, caller): Promise<Message | Unsaved> {
      const followUp = await theirs(about, caller);
      const { workspaceId, userId: by } = caller;
      const to = filled[FORM.personBlock]?.[0] ?? '';
      const complain = (words: string): Unsaved => ({
        complaints: { [FORM.personBlock]: words },
        again: handForm(to, words),
      });
      if (to === followUp.userId) return complain('They have it already. Choose somebody else.');
      const { allowed } = await mayAct('watch', { workspaceId, userId: to });
      if (!allowed) return complain('They can’t watch, so they can’t take it. Choose somebody else.');
      const entry = entryOf(caller, followUp.visitorId, 'handed', { to });
      await changed(followUp, followUps.hand(followUp, { by, to }, entry));
      return followUpHanded(to);
    },
  });

  const press = { answer: 'add', right: 'everybody', value: z.string().min(1) } as const;
  const presses = [
    definePress({
      ...press,
      actionId: ACTION.followUpDone,
      redraws: 'renew',
      async run(endId, caller) {
        const followUp = await theirs(endId, caller);
        await changed(followUp, followUps.done(followUp, entryOf(caller, followUp.visitorId, 'done')));
        return followUpDone;
      },
    }),
    definePress({
      ...press,
      actionId: ACTION.followUpLater,
      opens: {
        form: laterForm,
        async content(endId, caller) {
          const { line = '' } = await theirs(endId, caller);
          const { workspaceId, userId } = caller;
          // Whoever can't watch any more isn't shown the customer, whom the line may name.
          const { allowed } = await mayAct('watch', { workspaceId, userId });
          return formFor(caller, {
            when: 'tomorrow',
            time: USUAL_TIME,
            line: allowed ? line : undefined,
          });
        },
      },
    }),
    definePress({
      ...press,
      actionId: ACTION.followUpHand,
      opens: {
        form: handOverForm,
        async content(endId, caller) {
          await theirs(endId, caller);
          return handForm();
        },
      },
    }),
  ];

  return {
    presses,
    forms: [laterForm, handOverForm],

    /** What opens once the outcome is "follow-up". @param said that it is */
    async opened(endId: string, caller: Caller, said: Message): Promise<FormContent | Message> {
      const there = await followUps.find(caller.workspaceId, endId);
      return there ? alreadySet(there, there.userId === caller.userId) : formFor(caller, undefined, said);
    },

    /** Sets one of a session as filled in. */
    async set({ id: endId, link }: SessionEnd, filled: Filled, caller: Caller): Promise<Message | Unsaved> {
      const { workspaceId, userId, channelId = '' } = caller;
      const choice = await chosen(filledValues(filled), caller);
      if ('complaints' in choice) return choice;
      const { visitorId } = link;
      const where = isChannel(channelId) ? channelId : undefined;
      const entry = entryOf(caller, visitorId, 'set', { line: choice.line !== undefined });
      const followUp = { workspaceId, endId, visitorId, channelId: where, userId, ...choice };
      if (await followUps.set(followUp, entry)) return followUpSet(choice.dueAt);
      const there = await followUps.find(workspaceId, endId);
      return there ? alreadySet(there, there.userId === userId) : outcomeChanged;
    },

    complaints,
    form,
  };
}

export type FollowUpForms = ReturnType<typeof createFollowUpForms>;

/** Lists of follow-ups: the command, and what Home shows. */
export function createFollowUpLists(
  { cobrowseOf, colleagueOf, isAdmin, isInChannel, recordRefusal, now }: App,
  followUps: FollowUps,
  { presses, forms }: FollowUpForms,
) {
  async function page(
    { workspaceId, userId }: Viewer,
    whose: Whose,
    from: number,
    isReaderAdmin: boolean,
  ): Promise<FollowUpList> {
    const found = await followUps.list(workspaceId, whose, from, PAGE + 1);
    const shown = found.slice(0, PAGE);
    const ids = new Set(shown.map(({ visitorId }) => visitorId).filter((id) => id !== ''));
    const named = await Promise.all(
      Array.from(ids, async (id): Promise<readonly (readonly [string, string])[]> => {
        const visitor = await visitorIfKnown(cobrowseOf, workspaceId, id);
        return visitor === undefined ? [] : [[id, visitorName(visitor)]];
      }),
    );
    return {
      followUps: shown,
      names: new Map(named.flat()),
      hasMore: found.length > PAGE,
      now: now(),
      reader: { userId, isAdmin: isReaderAdmin },
    };
  }

  async function refuse(caller: Caller, why: string, words: Message): Promise<never> {
    await recordRefusal('follow-ups', why, caller);
    throw new Answered(words);
  }

  async function show(caller: Caller, asked: Whose, from: number): Promise<Message> {
    const { workspaceId, userId, channelId: at } = caller;
    const whose = 'userIds' in asked && asked.userIds.length === 0 ? { userIds: [userId] } : asked;
    const isReaderAdmin = await isAdmin(caller);
    if ('channelId' in whose) {
      const { channelId } = whose;
      const isIn = await isInChannel(workspaceId, userId, channelId).catch(rightUnknown);
      // If Slack doesn't say: it let them type the command there, so they're in it.
      if (!(isIn ?? at === channelId)) await refuse(caller, 'left-channel', channelRefused(channelId));
    } else if (!isReaderAdmin && whose.userIds.some((id) => id !== userId))
      await refuse(caller, 'not-admin', othersRefused);
    const list = await page(caller, whose, from, isReaderAdmin);
    const next = list.hasMore ? JSON.stringify({ ...whose, from: from + PAGE }) : undefined;
    return followUpList(list, whose, next);
  }

  /** Of the people who have follow-ups, those who left the workspace. */
  async function whoLeft(workspaceId: string): Promise<readonly string[]> {
    const people = await followUps.people(workspaceId);
    const known = await Promise.all(people.map((id) => colleagueOf(workspaceId, id).catch(() => undefined)));
    return people.filter((_id, index) => known[index]?.isDeactivated === true);
  }

  const right = 'list-follow-ups';
  return {
    command: defineCommand({
      name: 'followups',
      usage: 'followups [@person or #channel]',
      summary: 'List your open follow-ups, a channel’s or a person’s',
      right,
      needs: 'sessionEnds',
      examples: ['followups', 'followups #support'],
      argument: Typed,
      run: (whose, caller) => show(caller, whose, 0),
      presses: [
        definePress({
          actionId: ACTION.moreFollowUps,
          answer: 'replace',
          right,
          value: jsonText.pipe(Page),
          run: ({ from, ...whose }, caller) => show(caller, whose, from),
        }),
        ...presses,
      ],
      forms,
    }),

    /** What Home shows somebody: their own, and admins those of people who left. */
    async atHome(viewer: Viewer, isReaderAdmin: boolean): Promise<readonly Part[]> {
      const [own, left] = await Promise.all([
        page(viewer, { userIds: [viewer.userId] }, 0, isReaderAdmin),
        isReaderAdmin &&
          whoLeft(viewer.workspaceId).then((userIds) => page(viewer, { userIds }, 0, isReaderAdmin)),
      ]);
      return [...ownFollowUps(own), ...(left ? followUpsOfWhoLeft(left) : [])];
    },
  };
}
