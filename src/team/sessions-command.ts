import { z } from 'zod';
import type { NewEntry } from '../audit/audit.ts';
import type { Caller } from '../commands/rights.ts';
import { defineCommand, definePress, jsonText } from '../commands/command.ts';
import { createSendRecords, readFormat, recordFile, type RecordFormat } from '../commands/record-file.ts';
import { filterText, Look, readRecordFilter } from '../commands/record-filter.ts';
import { dayOf } from '../messages/days.ts';
import { lines, messageAddress, type Message } from '../messages/message.ts';
import { ACTION } from '../messages/action-ids.ts';
import { SessionOutcome } from '../messages/session-words.ts';
import type { App } from '../parts.ts';
import { rightUnknown, isChannel } from '../permissions/permissions.ts';
import type { SessionEnd } from '../sessions/session-ends.ts';
import { createFiling } from './filed-sessions.ts';
import { createSessionSearch, endedBefore, type Scope, type SessionFilter } from './session-search.ts';
import {
  noSessions,
  sessionColumns,
  SESSIONS_ON_A_PAGE,
  sessionsPage,
  sessionsUsage,
  type FiledSession,
  type SeenSession,
} from './sessions-message.ts';
import type { ShowVisitor } from '../messages/visitor-pieces.ts';
import { withCustomers } from '../visitors/customers-named.ts';

const WITHOUT_OUTCOME = /\bwithout (?:an )?outcome\b/gi;
const FOLLOW_UP = /\bfollow[ -]?ups?\b/gi;

/** Where a page begins, and how many sessions came before it. */
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

export function createSessionsCommand(app: App, showVisitor: ShowVisitor) {
  const { audit, recording, isAdmin, isShared, zoneOf, now } = app;
  const search = createSessionSearch(app.database);
  const sendRecords = createSendRecords(app);
  const note = (
    { workspaceId, userId, channelId }: Caller,
    what: Pick<NewEntry, 'outcome' | 'detail'>,
  ): Promise<void> => audit.record({ workspaceId, userId, channelId, action: 'sessions', ...what });

  /**
   * Whose they see: everybody's as an admin; otherwise their own, those of the channel where they ask, for which the right has
   * checked that they're in it, and those of channels that they name and are in.
   */
  async function scopeOf(caller: Caller, { channelIds: named }: SessionFilter): Promise<Scope> {
    if (await isAdmin(caller)) return 'all';
    const { workspaceId, userId, channelId = '' } = caller;
    const isIn = await Promise.all(named.map((id) => app.isInChannel(workspaceId, userId, id))).catch(
      rightUnknown,
    );
    const here = isChannel(channelId) ? [channelId] : [];
    return { userId, channelIds: [...here, ...named.filter((_id, index) => isIn[index] === true)] };
  }

  /** Shows sessions to somebody, asking about each channel once. @param place where they are shown; undefined for a file */
  async function viewFor({ workspaceId, userId, workspace }: Caller, place: string | undefined) {
    const { url } = await workspace.installedAs().catch(() => ({ url: undefined }));
    const isPlaceShared = place === undefined ? false : await isShared(workspaceId, place);
    const channels = new Map<
      string,
      Promise<{ readonly id: string; readonly isCut: SeenSession['isCut'] }>
    >();
    async function ask(channelId: string) {
      const id = await search.nowOf(workspaceId, channelId);
      return { id, isCut: isPlaceShared === false ? await isShared(workspaceId, id) : isPlaceShared };
    }
    return async function seen(end: SessionEnd): Promise<SeenSession> {
      const { summary, link } = end;
      const belongsTo = summary?.channelId ?? link.channelId ?? link.userId;
      const asked = channels.get(belongsTo) ?? ask(belongsTo);
      channels.set(belongsTo, asked);
      const { id, isCut } = await asked;
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

  /** Does something with the filter; explains the usage if it can't be read. */
  async function withFilter(
    look: Look,
    caller: Caller,
    work: (filter: SessionFilter, customers: string[], zone: string) => Promise<Message>,
  ): Promise<Message> {
    const zone = await zoneOf(caller);
    const read = readFilter(look, zone);
    const named = typeof read === 'string' ? read : await withCustomers(read, look, caller, recording);
    return typeof named === 'string'
      ? sessionsUsage(named)
      : work(named.filter, [...named.customers], zone ?? 'UTC');
  }

  function show(page: z.infer<typeof Page>, caller: Caller): Promise<Message> {
    return withFilter(page, caller, async (filter, customers) => {
      const { offset, from, ...asked } = page;
      const look = { ...asked, customers };
      const { workspaceId, channelId } = caller;
      const scope = await scopeOf(caller, filter);
      const what = { filter, scope };
      const [{ found, next }, counted, seen] = await Promise.all([
        search.page(SESSIONS_ON_A_PAGE, workspaceId, what, from),
        search.count(workspaceId, what, endedBefore(Date.parse(look.before))),
        viewFor(caller, channelId),
      ]);
      await note(caller, {
        outcome: 'done',
        detail: { query: audit.hashOf(look.filter), found: found.length },
      });
      if (found.length === 0 && next === undefined) return noSessions(filter, scope === 'all');
      const sessions = await Promise.all(
        found.map(async (end) => {
          const session = await seen(end);
          const { visitorId, userId } = end.link;
          if (session.isCut !== false) return { ...session, visitor: visitorId };
          const { visitor } = await showVisitor(workspaceId, visitorId, userId);
          return { ...session, visitor };
        }),
      );
      const after = next && { ...look, from: next, offset: offset + found.length };
      return sessionsPage({
        filter,
        offset,
        sessions,
        counted,
        more: after && JSON.stringify(after satisfies typeof page),
        searchedTo: next && new Date(next.at),
        file: JSON.stringify(look),
      });
    });
  }

  function send(look: Look, caller: Caller, format: RecordFormat): Promise<Message> {
    return withFilter(look, caller, async (filter, _customers, zone) => {
      const [scope, { namesInFiles }, seen] = await Promise.all([
        scopeOf(caller, filter),
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
      const { outcome, answer } = await sendRecords(caller, file, {
        key: ['sessions', format, look.before, query],
        name: `sessions-${dayOf(Date.parse(look.before), zone)}.${format}`,
        title: 'Sessions that ended',
        one: 'session',
        isNamedInPart: isCut(),
      });
      if (outcome !== undefined)
        await note(caller, {
          outcome,
          detail: { query, found: file.count, file: true, names: namesInFiles || undefined },
        });
      return answer;
    });
  }

  return defineCommand({
    name: 'sessions',
    usage: 'sessions [filter] [csv]',
    summary: 'List sessions that ended: yours, and those of this channel',
    right: 'list-sessions',
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
        actionId: ACTION.sessionsMore,
        answer: 'replace',
        right: 'list-sessions',
        value: jsonText.pipe(Page),
        run: show,
      }),
      definePress({
        actionId: ACTION.sessionsFile,
        answer: 'add',
        right: 'list-sessions',
        value: jsonText.pipe(Look),
        run: (look, caller) => send(look, caller, 'csv'),
      }),
    ],
  });
}
