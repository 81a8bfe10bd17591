import { z } from 'zod';
import type { NewEntry } from '../audit/audit.ts';
import { CobrowseError } from '../cobrowse/errors.ts';
import { defineCommand, definePress, jsonText } from '../commands/command.ts';
import { sendRecords, readFormat, recordFile, type RecordFormat } from '../commands/record-file.ts';
import { Look, filterText, readRecordFilter } from '../commands/record-filter.ts';
import { Answered, type Caller } from '../commands/rights.ts';
import { createAtMost } from '../lifecycle/side-by-side.ts';
import { dayOf } from '../messages/days.ts';
import { lines, messageAddress, type Message } from '../messages/message.ts';
import { SessionOutcome } from '../messages/session-words.ts';
import { fitting, MOST_ROWS, type Columns } from '../messages/table.ts';
import { visitorName } from '../messages/visitor-pieces.ts';
import type { App } from '../parts.ts';
import { isChannel, rightUnknown } from '../permissions/permissions.ts';
import type { SessionEnd } from '../sessions/session-ends.ts';
import { withCustomers } from '../visitors/visitor-search.ts';
import { createSessionSearch, endedBefore, type Scope, type SessionFilter } from './session-search.ts';
import {
  SESSIONS_ON_A_PAGE,
  noSessions,
  sessionColumns,
  sessionsPage,
  sessionsUsage,
  shownColumns,
  type FiledSession,
  type SeenSession,
  type ShownSession,
} from './sessions-message.ts';

/** Of so many different customers a file has the names: each costs a request. */
const MOST_NAMED = 200;
const NAMED_AT_ONCE = 10;
const WITHOUT_OUTCOME = /\bwithout (?:an )?outcome\b/gi;
const FOLLOW_UP = /\bfollow[ -]?ups?\b/gi;

const Page = Look.extend({ from: z.object({ at: z.int(), id: z.string() }), offset: z.int().min(0) });

/** "@sam #support follow-up last 7 days". A string is what is wrong with it. */
function readFilter({ filter, before }: Look, zone: string | undefined) {
  const oneWordEach = filter
    .replaceAll(WITHOUT_OUTCOME, 'without-outcome')
    .replaceAll(FOLLOW_UP, 'follow-up');
  return readRecordFilter(
    oneWordEach,
    Date.parse(before),
    zone,
    (word): SessionOutcome | 'none' | undefined =>
      word === 'without-outcome' ? 'none' : SessionOutcome.safeParse(word).data,
  );
}

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
      isCut = error.kind !== 'not-found';
      return undefined;
    }
  });
  /** `isCut`: whether some customers have no name because there were too many, or the service failed. */
  return { customerOf, isCut: () => isCut };
}

/** Adds to sessions of a file what goes by their ids. @param hasNames whether an admin allows customers' names */
function createFiling(caller: Caller, { colleagueOf, channelNameOf, isInChannel }: App, hasNames: boolean) {
  const { workspaceId, userId } = caller;
  const { customerOf, isCut } = createNaming(caller);
  const personOf = once(async (id) => {
    const colleague = id && (await colleagueOf(workspaceId, id).catch(() => undefined));
    return colleague ? colleague.name : undefined;
  });
  const channelOf = once(async (id) => {
    const found = await channelNameOf(workspaceId, id);
    if (found?.isPublic === true) return found.name;
    const isIn = await isInChannel(workspaceId, userId, id).catch(() => undefined);
    return isIn === true ? found?.name : undefined;
  });

  return {
    isCut,
    filed: async (seen: SeenSession): Promise<FiledSession> => ({
      ...seen,
      person: await personOf(seen.end.link.userId),
      channel: seen.channelId && (await channelOf(seen.channelId)),
      customer: hasNames && seen.isCut === false ? await customerOf(seen.end.link.visitorId) : undefined,
    }),
  };
}

export function createSessionsCommand(app: App) {
  const { audit, recording, tables, isAdmin, isShared, zoneOf, now } = app;
  const search = createSessionSearch(app.database);
  const note = (
    { workspaceId, userId, channelId }: Caller,
    what: Pick<NewEntry, 'outcome' | 'detail'>,
  ): Promise<void> => audit.record({ workspaceId, userId, channelId, action: 'sessions', ...what });

  /** All for admins; for others their own, this channel's (the right checked it), and those of named channels they're in. */
  async function scopeOf(caller: Caller, { channelIds: named }: SessionFilter): Promise<Scope> {
    if (await isAdmin(caller)) return 'all';
    const { workspaceId, userId, channelId = '' } = caller;
    const isIn = await Promise.all(named.map((id) => app.isInChannel(workspaceId, userId, id))).catch(
      rightUnknown,
    );
    const here = isChannel(channelId) ? [channelId] : [];
    return { userId, channelIds: [...here, ...named.filter((_id, index) => isIn[index] === true)] };
  }

  /** Shows sessions to somebody. @param place where they are shown; undefined for a file */
  async function viewFor({ workspaceId, userId, workspace }: Caller, place: string | undefined) {
    const { url } = await workspace.installedAs().catch(() => ({ url: undefined }));
    const isPlaceShared = place === undefined ? false : await isShared(workspaceId, place);
    const placeOf = once(async (channelId) => {
      const id = await search.nowOf(workspaceId, channelId);
      return { id, isCut: isPlaceShared === false ? await isShared(workspaceId, id) : isPlaceShared };
    });
    return async function seen(end: SessionEnd): Promise<SeenSession> {
      const { summary, link } = end;
      const belongsTo = summary?.channelId ?? link.channelId ?? link.userId;
      const { id, isCut } = await placeOf(belongsTo);
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

  /** @throws Answered with the usage if it can't be read */
  async function filterOf(look: Look, caller: Caller) {
    const zone = await zoneOf(caller);
    const read = readFilter(look, zone);
    const named = typeof read === 'string' ? read : await withCustomers(read, look, caller, recording);
    if (typeof named === 'string') throw new Answered(sessionsUsage(named));
    return { ...named, scope: await scopeOf(caller, named.filter), zone: zone ?? 'UTC' };
  }

  async function show({ offset, from, ...asked }: z.infer<typeof Page>, caller: Caller): Promise<Message> {
    const { filter, scope, customers, zone } = await filterOf(asked, caller);
    const look = { ...asked, customers: [...customers] };
    const { workspaceId, channelId } = caller;
    // Modals, as from the Home tab, have no tables.
    const inWords = channelId === undefined || (await tables.areRefused(workspaceId));
    const most = inWords ? SESSIONS_ON_A_PAGE : MOST_ROWS;
    const [{ found, next }, counted, seen] = await Promise.all([
      search.page(most, workspaceId, { filter, scope }, from),
      search.count(workspaceId, { filter, scope }, endedBefore(Date.parse(look.before))),
      viewFor(caller, channelId),
    ]);
    const detail = { query: audit.hashOf(look.filter), found: found.length };
    await note(caller, { outcome: 'done', detail });
    if (found.length === 0 && next === undefined) return noSessions(filter, scope === 'all');
    const { customerOf } = createNaming(caller);
    const atMost = createAtMost(NAMED_AT_ONCE);
    const sessions = await Promise.all(
      found.map(async (end): Promise<ShownSession> => {
        const session = await seen(end);
        const { visitorId } = end.link;
        const customer = session.isCut === false ? await atMost(() => customerOf(visitorId)) : undefined;
        return { ...session, visitor: customer?.name ?? visitorId };
      }),
    );
    function page(shown: readonly ShownSession[], tabled?: Columns<ShownSession>): Message {
      const last = shown.length < found.length ? shown.at(-1)?.end : undefined;
      const rest = last === undefined ? next : { at: last.receivedAt, id: last.id };
      const after = rest && { ...look, from: rest, offset: offset + shown.length };
      return sessionsPage({
        filter,
        offset,
        sessions: shown,
        counted,
        more: after && JSON.stringify(after satisfies z.infer<typeof Page>),
        searchedTo:
          next !== undefined && found.length < most && rest === next ? new Date(next.at) : undefined,
        file: JSON.stringify(look satisfies Look),
        columns: tabled,
      });
    }
    const words = page(sessions.slice(0, SESSIONS_ON_A_PAGE));
    const columns = shownColumns(zone);
    const fit = inWords ? [] : fitting(columns, sessions);
    return fit.length === 0 ? words : { ...words, tabled: page(fit, columns) };
  }

  async function send(look: Look, caller: Caller, format: RecordFormat): Promise<Message> {
    const { filter, scope, zone } = await filterOf(look, caller);
    const [{ namesInFiles }, seen] = await Promise.all([
      caller.workspace.settings(),
      viewFor(caller, undefined),
    ]);
    const { filed, isCut } = createFiling(caller, app, namesInFiles);
    async function* records(): AsyncGenerator<FiledSession> {
      const from = endedBefore(Date.parse(look.before));
      for await (const end of search.read(caller.workspaceId, { filter, scope }, from))
        yield filed(await seen(end));
    }
    const file = await recordFile(records(), format, sessionColumns(zone, namesInFiles));
    if (file.count === 0) return noSessions(filter, scope === 'all');
    const query = audit.hashOf(look.filter);
    const { outcome, answer } = await sendRecords(app, caller, file, {
      key: ['sessions', format, look.before, query],
      name: `sessions-${dayOf(Date.parse(look.before), zone)}.${format}`,
      title: 'Sessions that ended',
      one: 'session',
      isNamedInPart: isCut(),
    });
    const detail = { query, found: file.count, file: true, names: namesInFiles || undefined };
    if (outcome !== undefined) await note(caller, { outcome, detail });
    return answer;
  }

  const right = 'list-sessions';
  return defineCommand({
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
    right,
    needs: 'sessionEnds',
    examples: ['sessions', 'sessions @sam follow-up last 7 days', 'sessions #support without outcome'],
    more: [lines(['Add #channel for those of another channel that you’re in. Admins see all.'])],
    argument: filterText,
    run(typed, caller) {
      const before = new Date(now()).toISOString();
      const { format, filter } = readFormat(typed);
      if (format !== undefined) return send({ filter, before }, caller, format);
      return show({ filter, before, from: endedBefore(Date.parse(before)), offset: 0 }, caller);
    },
    presses: [
      definePress({
        actionId: 'sessions_more',
        answer: 'replace',
        right,
        value: jsonText.pipe(Page),
        run: show,
      }),
      definePress({
        actionId: 'sessions_file',
        answer: 'add',
        right,
        value: jsonText.pipe(Look),
        run: (look, caller) => send(look, caller, 'csv'),
      }),
    ],
  });
}
