import { z } from 'zod';
import { CobrowseError } from '../cobrowse/errors.ts';
import { readRecordFilter } from '../commands/record-filter.ts';
import { readFormat } from '../commands/record-file.ts';
import { defineRecordCommand } from '../commands/record-list.ts';
import type { Caller } from '../commands/rights.ts';
import { createAtMost } from '../lifecycle/concurrency.ts';
import { lines, messageAddress, points } from '../messages/message.ts';
import { notAccepted, SessionOutcome } from '../messages/session-words.ts';
import { cutWords, visitorName } from '../messages/visitor-pieces.ts';
import { channelNow } from '../outbox/channels.ts';
import type { App } from '../parts.ts';
import { isChannel, rightUnknown } from '../permissions/permissions.ts';
import type { SessionEnd } from '../sessions/session-ends.ts';
import { createCustomersNamed } from '../visitors/visitor-search.ts';
import { createSessionSearch, endedBefore, type Scope, type SessionFilter } from './session-search.ts';
import {
  noSessions,
  sessionColumns,
  sessionLine,
  shownColumns,
  wordOf,
  type FiledSession,
  type SeenSession,
  type ShownSession,
} from './sessions-message.ts';

/** Of so many different customers a file has the names: each costs a request. */
const MOST_NAMED = 200;
const NAMED_AT_ONCE = 10;
const WITHOUT_OUTCOME = /\bwithout (?:an )?outcome\b/gi;
const FOLLOW_UP = /\bfollow[ -]?ups?\b/gi;

/** "@sam #support follow-up last 7 days". A string is what is wrong with it. */
function readFilter(filter: string, now: number, zone: string | undefined) {
  const oneWordEach = filter
    .replaceAll(WITHOUT_OUTCOME, 'without-outcome')
    .replaceAll(FOLLOW_UP, 'follow-up');
  return readRecordFilter(oneWordEach, now, zone, (word): SessionOutcome | 'none' | undefined =>
    word === 'without-outcome' ? 'none' : SessionOutcome.safeParse(word).data,
  );
}

const FILTERS: readonly (readonly [typed: string, meaning: string])[] = [
  ['', 'yours, and those of this channel, newest first'],
  [' @person last 7 days', 'one agent’s'],
  [' #channel follow-up', 'of a channel, by outcome'],
  [' without outcome', 'where nobody said how it went'],
  [' jane', 'of one customer, by name, email or visitor ID'],
  [' yesterday', 'of a day, by your clock: today, yesterday, this week, last week'],
  [' csv', 'as a file'],
];

function once<Found>(ask: (id: string) => Promise<Found>) {
  const asked = new Map<string, Promise<Found>>();
  return (id: string): Promise<Found> => {
    const answer = asked.get(id) ?? ask(id);
    asked.set(id, answer);
    return answer;
  };
}

function createNaming({ workspace }: Caller) {
  let left = MOST_NAMED;
  let isCut = false;
  const customerOf = once(async (visitorId): Promise<FiledSession['customer']> => {
    isCut ||= left === 0 && visitorId !== '';
    if (isCut || visitorId === '') return undefined;
    left -= 1;
    try {
      const visitor = await workspace.cobrowse.visitor(visitorId);
      return { name: visitorName(visitor), email: visitor.email };
    } catch (error) {
      if (!(error instanceof CobrowseError)) throw error;
      // A service that fails isn't asked for each of the others.
      isCut ||= error.kind !== 'not-found';
      return undefined;
    }
  });
  /** `isCut`: whether some customers have no name because there were too many, or the service failed. */
  return { customerOf, isCut: () => isCut };
}

/** All for admins; for others their own, this channel's (the right checked it), and those of named channels they're in. */
async function scopeOf(app: App, caller: Caller, { channelIds: named }: SessionFilter): Promise<Scope> {
  if (await app.isAdmin(caller)) return 'all';
  const { workspaceId, userId, channelId = '' } = caller;
  const isIn = await Promise.all(named.map((id) => app.isInChannel(workspaceId, userId, id))).catch(
    rightUnknown,
  );
  const here = isChannel(channelId) ? [channelId] : [];
  return { userId, channelIds: [...here, ...named.filter((_id, index) => isIn[index] === true)] };
}

function createViews(app: App) {
  /** Shows sessions to somebody. @param place where they are shown; undefined for a file */
  async function viewFor({ workspaceId, userId, workspace }: Caller, place: string | undefined) {
    const { url } = await workspace.installedAs().catch(() => ({ url: undefined }));
    const isPlaceShared = place === undefined ? false : await app.isShared(workspaceId, place);
    const placeOf = once(async (channelId) => {
      const id = await channelNow(app.database, { workspaceId, channelId });
      return { id, isCut: isPlaceShared === false ? await app.isShared(workspaceId, id) : isPlaceShared };
    });
    return async function seen(end: SessionEnd): Promise<SeenSession> {
      const { summary, link } = end;
      const { id, isCut } = await placeOf(summary?.channelId ?? link.channelId ?? link.userId);
      // Nobody can open a message in somebody else's direct messages.
      const isOpen = summary !== undefined && (isChannel(id) || link.userId === userId);
      return {
        end,
        isCut,
        channelId: summary !== undefined && isChannel(id) ? id : undefined,
        summaryUrl: isOpen ? messageAddress(url, id, summary.ts) : undefined,
      };
    };
  }

  async function shownTo(caller: Caller, found: readonly SessionEnd[]) {
    const seen = await viewFor(caller, caller.channelId);
    const { customerOf } = createNaming(caller);
    const atMost = createAtMost(NAMED_AT_ONCE);
    return Promise.all(
      found.map(async (end): Promise<ShownSession> => {
        const session = await seen(end);
        const { visitorId } = end.link;
        const customer = session.isCut === false ? await atMost(() => customerOf(visitorId)) : undefined;
        return { ...session, visitor: customer?.name ?? visitorId };
      }),
    );
  }

  /** With what goes by their ids; customers' names only where an admin allows them. */
  async function fileFor(caller: Caller, zone: string, found: AsyncIterable<SessionEnd>) {
    const { workspaceId, userId, workspace } = caller;
    const [{ namesInFiles }, seen] = await Promise.all([workspace.settings(), viewFor(caller, undefined)]);
    const { customerOf, isCut } = createNaming(caller);
    const personOf = once(
      async (id) => (await app.colleagueOf(workspaceId, id).catch(() => undefined))?.name,
    );
    const channelOf = once(async (id) => {
      const channel = await app.channelNameOf(workspaceId, id);
      if (channel?.isPublic === true) return channel.name;
      const isIn = await app.isInChannel(workspaceId, userId, id).catch(() => undefined);
      return isIn === true ? channel?.name : undefined;
    });
    async function* records(): AsyncGenerator<FiledSession> {
      for await (const end of found) {
        const session = await seen(end);
        yield {
          ...session,
          person: await personOf(end.link.userId),
          channel: session.channelId && (await channelOf(session.channelId)),
          customer:
            namesInFiles && session.isCut === false ? await customerOf(end.link.visitorId) : undefined,
        };
      }
    }
    return {
      columns: sessionColumns(zone, namesInFiles),
      records: records(),
      isNamedInPart: isCut,
      detail: { names: namesInFiles || undefined },
    };
  }

  return { shownTo, fileFor };
}

export function createSessionsCommand(app: App) {
  const search = createSessionSearch(app.database);
  const { shownTo, fileFor } = createViews(app);
  return defineRecordCommand(app, createCustomersNamed(app.recording), {
    name: 'sessions',
    usage: 'sessions [filter] [csv]',
    summary: 'List sessions that ended: yours, and those of this channel',
    tool: {
      name: 'list_sessions',
      description: 'Lists co-browsing sessions that ended, newest first: those that who asks can see.',
      argument: {
        name: 'filter',
        description:
          'A customer, outcome (solved, follow-up, other, without outcome) or days (today, yesterday, last week); may be empty',
        // A file is only for who types it.
        typed: (filter) => readFormat(filter).filter,
      },
    },
    right: 'list-sessions',
    level: 'further',
    needs: 'sessionEnds',
    examples: ['sessions', 'sessions @sam follow-up last 7 days', 'sessions #support without outcome'],
    more: [lines(['Add #channel for those of another channel that you’re in. Admins see all.'])],
    filters: FILTERS,
    words: 'solved, follow-up, other, without outcome',
    one: 'session',
    title: 'Sessions that ended',
    fileName: 'sessions',
    formats: ['csv'],
    // Slack shows the end of a long message, so all of a page fits on a phone.
    onAPage: 6,
    id: z.string(),
    before: endedBefore,
    read: readFilter,
    nameOf: wordOf,
    async records(caller, filter, zone) {
      const scope = await scopeOf(app, caller, filter);
      const all = await search.matching(caller.workspaceId, filter, scope);
      return {
        page: (most, from) => all.page(most, from),
        count: all.count,
        placeOf: ({ receivedAt: at, id }) => ({ at, id }),
        none: noSessions(filter, scope === 'all'),
        shown: (found) => shownTo(caller, found),
        columns: shownColumns(zone),
        line: sessionLine,
        inWords: (sessions) => (sessions.length === 0 ? [] : [points(...sessions.map(sessionLine))]),
        besides: (shown, { apart, isAll }) => [
          notAccepted(apart, !isAll),
          cutWords(shown.find(({ isCut }) => isCut !== false)?.isCut ?? false),
        ],
        file: (from) => fileFor(caller, zone, all.read(from)),
      };
    },
  });
}
