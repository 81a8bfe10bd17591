import { z } from 'zod';
import type { Visitor } from '../cobrowse/schemas.ts';
import { Answered, type Caller, type Viewer } from '../commands/rights.ts';
import { defineCommand } from '../commands/command.ts';
import { plainTyped } from '../commands/typed.ts';
import {
  button,
  buttons,
  heading,
  lines,
  message,
  refusal,
  type Message,
  type Part,
} from '../messages/message.ts';
import { ticketLine } from '../messages/session-words.ts';
import { bold, channel, code, given, link, say, short, user } from '../messages/text.ts';
import {
  detailsButton,
  pageOf,
  presence,
  tellOnlineButton,
  visitorIfKnown,
  visitorName,
  whoLine,
  withTicket,
  watchAgainButton,
} from '../messages/visitor-pieces.ts';
import { readPayload, unknownNow, type Kind } from '../outbox/delivery.ts';
import type { App } from '../parts.ts';
import { canLook, rightUnknown } from '../permissions/permissions.ts';
import { createSessionEnds } from '../sessions/session-ends.ts';
import { createSummaryAddress } from '../sessions/posted-summaries.ts';
import { choices, dueLine, quotedLine, type FollowUpForms } from './follow-up-forms.ts';
import { FollowUpPayload, type FollowUp, type FollowUps, type Whose } from './follow-ups.ts';

/** As many as fit into a message. */
const MOST_LISTED = 20;
const MOST_AT_HOME = 5;

const forYours = say`Type ${code('/cobrowse followups')} for yours.`;

const visitorOf: typeof visitorIfKnown = async (app, workspaceId, visitorId) =>
  visitorId === '' ? undefined : visitorIfKnown(app, workspaceId, visitorId);

const nameOf = ({ visitorId }: FollowUp, visitor: Visitor | undefined) =>
  visitor === undefined ? short(visitorId, 60) || 'a customer' : visitorName(visitor);

async function followUpDue(app: App, followUp: FollowUp, isHanded: boolean, summaryUrl: string | undefined) {
  const { workspaceId, visitorId, handedBy, dueAt, ticketUrl } = followUp;
  const visitor = await visitorOf(app, workspaceId, visitorId);
  const name = nameOf(followUp, visitor);
  const page = visitor && pageOf(visitor);
  const watch = watchAgainButton(withTicket(visitorId, ticketUrl), name);
  return message(
    lines(
      isHanded && handedBy !== undefined
        ? say`${user(handedBy)} handed you a follow-up with ${bold(name)}.`
        : say`Time to follow up with ${bold(name)}.`,
      quotedLine(followUp),
      ticketLine(ticketUrl, false),
      dueAt.getTime() > app.now() && dueLine(dueAt),
      visitor && whoLine(visitor),
      visitor && say`${presence(visitor)}${page !== undefined && say` · Page: ${code(page)}`}`,
      summaryUrl !== undefined && [link(summaryUrl, 'Summary of the session')],
    ),
    buttons(
      ...choices(followUp, name),
      ...(visitor ? [tellOnlineButton(visitor, {}), watch, detailsButton(visitor, ticketUrl)] : []),
    ),
  );
}

/** The same for somebody who can't watch any more: nothing that says who the customer is. */
const followUpDueUnseen = (followUp: FollowUp, isHanded: boolean): Message =>
  message(
    lines(
      [isHanded ? 'You got a follow-up.' : 'A follow-up of yours is due.'],
      ['You don’t have permission to watch, so I can’t show the customer. Hand it to somebody who can.'],
    ),
    buttons(...choices(followUp, 'a customer')),
  );

/** The direct message that a follow-up is due, or was handed on: as the follow-up is when it's sent. */
export function createFollowUpKind(app: App, followUps: FollowUps): Kind {
  const background = app.database.inBackground();
  const sessionEnds = createSessionEnds(background);
  const summaryAddress = createSummaryAddress({ ...app, database: background });
  return {
    name: 'follow-up',
    async render({ workspaceId, channelId: userId, payload }) {
      const { endId, version, isHanded } = readPayload(FollowUpPayload, payload);
      const followUp = await followUps.find(workspaceId, endId);
      if (followUp?.version !== version) return { unwanted: 'superseded' };
      const verdict = await app.mayAct('watch', { workspaceId, userId }).catch(unknownNow);
      // Guests, too: it's theirs, and they hand it on.
      if (!verdict.allowed && !canLook(verdict) && verdict.why !== 'guest') return { unwanted: verdict.why };
      return {
        async message() {
          if (!verdict.allowed) return followUpDueUnseen(followUp, isHanded);
          const end = await sessionEnds.byId(endId);
          return followUpDue(app, followUp, isHanded, end && (await summaryAddress(end)));
        },
      };
    },
    async onOutcome({ workspaceId, channelId: userId, payload }, told) {
      if (told.outcome === 'later' || (told.outcome === 'skipped' && told.reason === 'superseded')) return;
      const { endId } = readPayload(FollowUpPayload, payload);
      const visitorId = (await followUps.find(workspaceId, endId))?.visitorId;
      const outcome = told.outcome === 'posted' ? 'sent' : told.reason;
      await app.record({ workspaceId, userId, visitorId, action: 'follow-up', outcome });
    },
  };
}

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

async function rowOf(app: App, followUp: FollowUp, reader: Viewer, isReaderAdmin: boolean) {
  const { workspaceId, visitorId, userId, handedBy, dueAt, ticketUrl } = followUp;
  const name = nameOf(followUp, await visitorOf(app, workspaceId, visitorId));
  const isTheirs = userId === reader.userId;
  const overdue = dueAt.getTime() <= app.now() && say`${bold('Overdue')} · `;
  const owner = !isTheirs && say` · ${user(userId)}`;
  const from = handedBy !== undefined && handedBy !== userId && say` · from ${user(handedBy)}`;
  return given([
    lines(
      say`${bold(name)} · ${overdue}${dueLine(dueAt)}${owner}${from}`,
      quotedLine(followUp),
      ticketLine(ticketUrl, false),
    ),
    (isTheirs || isReaderAdmin) && buttons(...choices(followUp, name)),
  ]);
}

/** @throws Answered where they can't see these */
async function mustSee(app: App, caller: Caller, whose: Whose, canSeePerson: boolean): Promise<void> {
  const { workspaceId, userId, channelId: at } = caller;
  const ofChannel = 'channelId' in whose ? whose.channelId : undefined;
  // If Slack doesn't say: it let them type the command there, so they're in it.
  const canSee =
    ofChannel === undefined
      ? canSeePerson
      : ((await app.isInChannel(workspaceId, userId, ofChannel).catch(rightUnknown)) ?? at === ofChannel);
  if (canSee) return;
  await app.recordRefusal('follow-ups', ofChannel === undefined ? 'not-admin' : 'left-channel', caller);
  throw new Answered(
    refusal(
      ['Only admins can see other people’s follow-ups, and only people in a channel those set there.'],
      forYours,
    ),
  );
}

function listMessage(whose: Whose, isOwn: boolean, rows: readonly Part[]): Message {
  const others =
    'userIds' in whose ? say`Of ${user(whose.userIds[0] ?? '')}` : say`Set in ${channel(whose.channelId)}`;
  return message(
    heading(isOwn ? 'Your follow-ups' : 'Follow-ups'),
    !isOwn && lines(others),
    rows.length === 0 &&
      lines(['No follow-ups. Choose the outcome “Follow up” below a session’s summary to set one.']),
    ...rows,
  );
}

async function whoLeft({ colleagueOf }: App, followUps: FollowUps, workspaceId: string) {
  const people = await followUps.people(workspaceId);
  const known = await Promise.all(people.map((id) => colleagueOf(workspaceId, id).catch(() => undefined)));
  return people.filter((_id, index) => known[index]?.isDeactivated === true);
}

export function createFollowUpLists(app: App, followUps: FollowUps, { presses, forms }: FollowUpForms) {
  async function list(reader: Viewer, isReaderAdmin: boolean, whose: Whose, most: number) {
    const found = await followUps.list(reader.workspaceId, whose, most + 1);
    const rows = found.slice(0, most).map((followUp) => rowOf(app, followUp, reader, isReaderAdmin));
    return { rows: (await Promise.all(rows)).flat(), isCut: found.length > most };
  }

  async function show(asked: Whose, caller: Caller): Promise<Message> {
    const { userId } = caller;
    const whose = 'userIds' in asked && asked.userIds.length === 0 ? { userIds: [userId] } : asked;
    const isOwn = 'userIds' in whose && whose.userIds[0] === userId;
    const isReaderAdmin = await app.isAdmin(caller);
    await mustSee(app, caller, whose, isReaderAdmin || isOwn);
    const { rows, isCut } = await list(caller, isReaderAdmin, whose, MOST_LISTED);
    const next = isOwn || isReaderAdmin ? ['Finish these or hand them on to see more.'] : forYours;
    const more = isCut ? [lines([`The next ${MOST_LISTED} are shown. `, ...next])] : [];
    return listMessage(whose, isOwn, [...rows, ...more]);
  }

  return {
    command: defineCommand({
      name: 'followups',
      usage: 'followups [@person or #channel]',
      summary: 'List your open follow-ups, a channel’s or a person’s',
      tool: {
        name: 'list_follow_ups',
        description: 'Lists the open follow-ups of who asks, the next due first.',
      },
      right: 'list-follow-ups',
      needs: 'sessionEnds',
      examples: ['followups', 'followups #support'],
      argument: Typed,
      run: show,
      presses,
      forms,
    }),

    /** What Home shows somebody: their own, and admins those of people who left. */
    async atHome(viewer: Viewer, isReaderAdmin: boolean): Promise<readonly Part[]> {
      const { workspaceId, userId } = viewer;
      const gone = isReaderAdmin ? whoLeft(app, followUps, workspaceId) : [];
      const ofWhoLeft = async () => list(viewer, isReaderAdmin, { userIds: await gone }, MOST_AT_HOME);
      const ofTheirs = list(viewer, isReaderAdmin, { userIds: [userId] }, MOST_AT_HOME);
      const [own, left] = await Promise.all([ofTheirs, ofWhoLeft()]);
      const text = 'All follow-ups';
      const all = { text, actionId: 'home_follow_ups', value: `<@${userId}>`, label: text };
      return given([
        ...(own.rows.length === 0 ? [] : [heading('Follow-ups'), ...own.rows, buttons(button(all))]),
        left.rows.length > 0 && heading('Follow-ups of people who left'),
        ...left.rows,
        left.isCut && lines([`${MOST_AT_HOME} follow-ups shown. Hand these on to see more.`]),
      ]);
    },
  };
}
