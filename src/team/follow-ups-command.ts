import { z } from 'zod';
import type { CobrowseClient } from '../cobrowse/client.ts';
import type { Caller, Viewer } from '../commands/caller.ts';
import { defineCommand } from '../commands/command.ts';
import { definePress, jsonText } from '../commands/press.ts';
import type { RecordRefusal } from '../commands/rights.ts';
import { plainTyped } from '../commands/typed.ts';
import { ACTION } from '../messages/action-ids.ts';
import type { Message } from '../messages/message.ts';
import { visitorName, visitorIfKnown } from '../messages/visitor-pieces.ts';
import { rightUnknown } from '../permissions/acts.ts';
import type { IsInChannel } from '../permissions/permissions.ts';
import type { createFollowUpForms } from './follow-up-forms.ts';
import {
  channelRefused,
  followUpList,
  othersRefused,
  type FollowUpList,
  type FollowUpsNow,
} from './follow-up-messages.ts';
import type { FollowUps, Whose } from './follow-ups.ts';

/** Rows of a page, and of Home. */
const PAGE = 5;

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

/** Lists of follow-ups: the command, and what Home shows. */
export function createFollowUpLists({
  followUps,
  forms,
  cobrowseOf,
  isAdmin,
  isInChannel,
  colleagueOf,
  recordRefusal,
  now,
}: {
  readonly followUps: Pick<FollowUps, 'list' | 'people'>;
  readonly forms: Pick<ReturnType<typeof createFollowUpForms>, 'presses' | 'forms'>;
  readonly cobrowseOf: (workspaceId: string) => Promise<Pick<CobrowseClient, 'visitor'>>;
  /** Rejects with a RightUnknownError if Slack can't be asked. */
  readonly isAdmin: (who: Viewer) => Promise<boolean>;
  readonly isInChannel: IsInChannel;
  /** Undefined if the app isn't installed. Rejects if Slack can't be asked. */
  readonly colleagueOf: (
    workspaceId: string,
    userId: string,
  ) => Promise<{ readonly isDeactivated: boolean } | undefined>;
  readonly recordRefusal: RecordRefusal;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}) {
  async function page(
    { workspaceId, userId }: Viewer,
    whose: Whose,
    { from, isAdmin: isReaderAdmin }: { readonly from: number; readonly isAdmin: boolean },
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

  /** Why somebody can't see a list; undefined if they can. */
  async function refusedTo(caller: Caller, whose: Whose, isReaderAdmin: boolean) {
    const { workspaceId, userId, channelId: at } = caller;
    if ('channelId' in whose) {
      const { channelId } = whose;
      const isIn = await isInChannel(workspaceId, userId, channelId).catch(rightUnknown);
      // If Slack doesn't say: it let them type the command there, so they're in it.
      if (isIn ?? at === channelId) return undefined;
      await recordRefusal('follow-ups', 'left-channel', caller);
      return channelRefused(channelId);
    }
    if (isReaderAdmin || whose.userIds.every((id) => id === userId)) return undefined;
    await recordRefusal('follow-ups', 'not-admin', caller);
    return othersRefused;
  }

  async function show(caller: Caller, asked: Whose, from: number): Promise<Message> {
    const whose = 'userIds' in asked && asked.userIds.length === 0 ? { userIds: [caller.userId] } : asked;
    const isReaderAdmin = await isAdmin(caller);
    const refused = await refusedTo(caller, whose, isReaderAdmin);
    if (refused !== undefined) return refused;
    const list = await page(caller, whose, { from, isAdmin: isReaderAdmin });
    const next = list.hasMore ? JSON.stringify({ ...whose, from: from + PAGE }) : undefined;
    return followUpList(list, whose, next);
  }

  /** Of the people who have follow-ups, those who left the workspace. */
  async function whoLeft(workspaceId: string): Promise<readonly string[]> {
    const people = await followUps.people(workspaceId);
    const gone = await Promise.all(
      people.map(async (id) => {
        const colleague = await colleagueOf(workspaceId, id).catch(() => undefined);
        return colleague?.isDeactivated === true ? [id] : [];
      }),
    );
    return gone.flat();
  }

  const command = defineCommand({
    name: 'followups',
    usage: 'followups [@person or #channel]',
    summary: 'List your open follow-ups, a channel’s or a person’s',
    right: 'list-follow-ups',
    needs: 'sessionEnds',
    examples: ['followups', 'followups #support'],
    argument: Typed,
    run: (whose, caller) => show(caller, whose, 0),
    presses: [
      definePress({
        actionId: ACTION.moreFollowUps,
        answer: 'replace',
        right: 'list-follow-ups',
        value: jsonText.pipe(Page),
        run: ({ from, ...whose }, caller) => show(caller, whose, from),
      }),
      ...forms.presses,
    ],
    forms: forms.forms,
  });

  return {
    command,
    /** What Home shows somebody. */
    async atHome(viewer: Viewer, isReaderAdmin: boolean): Promise<FollowUpsNow> {
      const { workspaceId, userId } = viewer;
      const some = { from: 0, isAdmin: isReaderAdmin };
      const [own, left] = await Promise.all([
        page(viewer, { userIds: [userId] }, some),
        isReaderAdmin ? whoLeft(workspaceId).then((userIds) => page(viewer, { userIds }, some)) : undefined,
      ]);
      return { own, left };
    },
  };
}
