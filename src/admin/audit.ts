import { z } from 'zod';
import { readRecordedChange } from '../workspaces/recorded-change.ts';
import { positionBefore } from '../audit/audit.ts';
import type { AuditEntry } from '../audit/audit.ts';
import type { AuditFilter } from '../audit/filter.ts';
import { ACTION } from '../messages/action-ids.ts';
import {
  RECORDS_ON_A_PAGE,
  auditFileComment,
  auditFileRefused,
  auditFileSent,
  auditFileUnderWay,
  auditForAdmins,
  auditPage,
  auditUsage,
  emptyAudit,
} from './audit-list.ts';
import type { ShownRecord } from './audit-sentences.ts';
import type { Message } from '../messages/message.ts';
import { asked, recordRefusal } from '../commands/allowed.ts';
import { auditFile } from './audit-file.ts';
import type { AuditFormat } from './audit-file.ts';
import { readFilter } from './audit-filter.ts';
import type { Caller } from '../commands/caller.ts';
import { defineCommand } from '../commands/command.ts';
import { definePress, jsonText } from '../commands/press.ts';
import type { Press } from '../commands/press.ts';
import type { Uses } from '../services.ts';

const LONGEST_FILTER = 500;
/** Pressing the same button again within this time sends no second file. */
const ONE_FILE_WITHIN_MS = 60_000;

/** Asks for the file at once: "refusals last 7 days csv", "as a file". */
const AS_FILE = /(?<!\S)(?:as )?(?:an? )?(csv|jsonl?|file)(?!\S)/i;
const FORMATS: ReadonlyMap<string, AuditFormat> = new Map([
  ['csv', 'csv'],
  ['file', 'csv'],
  ['json', 'jsonl'],
  ['jsonl', 'jsonl'],
]);

/** The filter as typed, and when it was first used, so that later entries don't move the pages. */
const Look = z.object({ filter: z.string().max(LONGEST_FILTER), before: z.iso.datetime() });
/** Where a page begins, and how many entries came before it. */
const Page = Look.extend({ from: z.object({ at: z.int(), id: z.int() }), offset: z.int().min(0) });
type Look = z.infer<typeof Look>;

type AuditServices = Uses<'isAdmin' | 'audit' | 'record' | 'sendFile' | 'filesUnderWay' | 'timeZoneOf'>;

const shown = (entry: AuditEntry): ShownRecord =>
  entry.action === 'setting' ? { ...entry, change: readRecordedChange(entry.detail) } : entry;

/** Checked every time: someone who saw the button may no longer be an admin. */
async function ifAdmin(
  caller: Caller,
  services: AuditServices,
  work: () => Promise<Message>,
): Promise<Message> {
  const isAdmin = await asked('audit', { caller, services }, () => services.isAdmin(caller));
  if (isAdmin) return work();
  await recordRefusal('audit', 'not-admin', { caller, services });
  return auditForAdmins();
}

function note(
  { workspaceId, userId, channelId }: Caller,
  { record }: Uses<'record'>,
  what: Pick<AuditEntry, 'action' | 'outcome' | 'detail'>,
): Promise<void> {
  return record({ workspaceId, userId, ...(channelId === undefined ? {} : { channelId }), ...what });
}

/** Does something with the filter; explains the usage if it can't be read. */
function withFilter(
  look: Look,
  { caller, services }: { readonly caller: Caller; readonly services: AuditServices },
  work: (filter: AuditFilter) => Promise<Message>,
): Promise<Message> {
  return ifAdmin(caller, services, async () => {
    const filter = readFilter(look.filter, Date.parse(look.before));
    return typeof filter === 'string' ? auditUsage(filter) : work(filter);
  });
}

function show(page: z.infer<typeof Page>, caller: Caller, services: AuditServices): Promise<Message> {
  return withFilter(page, { caller, services }, async (filter) => {
    const { offset, from, ...look } = page;
    const { workspaceId } = caller;
    const { entries, next } = await services.audit.page(workspaceId, filter, from, RECORDS_ON_A_PAGE);
    const query = services.audit.hashOf(look.filter);
    await note(caller, services, {
      action: 'audit',
      outcome: 'done',
      detail: { query, found: entries.length },
    });
    if (entries.length === 0 && next === undefined) return emptyAudit(filter);
    const after = next && { ...look, from: next, offset: offset + entries.length };
    return auditPage({
      filter,
      offset,
      records: entries.map(shown),
      more: after && JSON.stringify(after satisfies typeof page),
      searchedTo: next && new Date(next.at),
      file: JSON.stringify(look),
      zone: await services.timeZoneOf(workspaceId, caller.userId),
    });
  });
}

type Sent = Awaited<ReturnType<AuditServices['sendFile']>>;

/** Sends a file, unless the same one is on its way: then undefined. If Slack refused it, it can be requested again at once. */
async function sendOnce(
  key: string,
  { sendFile, filesUnderWay }: Uses<'sendFile' | 'filesUnderWay'>,
  ...[to, file]: Parameters<AuditServices['sendFile']>
): Promise<Sent | undefined> {
  const { workspaceId } = to;
  if (!(await filesUnderWay.claim(workspaceId, key, ONE_FILE_WITHIN_MS))) return undefined;
  try {
    const sent = await sendFile(to, file);
    if (sent.outcome !== 'sent') await filesUnderWay.release(workspaceId, key);
    return sent;
  } catch (error) {
    await filesUnderWay.release(workspaceId, key);
    throw error;
  }
}

function send(look: Look, caller: Caller, services: AuditServices, format: AuditFormat): Promise<Message> {
  return withFilter(look, { caller, services }, async (filter) => {
    const { workspaceId, userId } = caller;
    const from = positionBefore(new Date(look.before));
    const records = services.audit.read(workspaceId, filter, from);
    const { content, count, isCut } = await auditFile(records, format, { shown });
    if (count === 0) return emptyAudit(filter);
    const query = services.audit.hashOf(look.filter);
    const key = ['audit file', userId, format, look.before, query].join(' ');
    const sent = await sendOnce(key, services, caller, {
      name: `audit-log-${look.before.slice(0, 10)}.${format}`,
      title: 'Audit log',
      comment: auditFileComment(count, isCut),
      content,
    });
    if (sent === undefined) return auditFileUnderWay;
    const outcome = sent.outcome === 'sent' ? 'sent' : 'not-sent';
    await note(caller, services, { action: 'audit', outcome, detail: { query, found: count, file: true } });
    return sent.outcome === 'sent' ? auditFileSent(count, isCut) : auditFileRefused(sent);
  });
}

function filePress(actionId: string, format: AuditFormat): Press {
  return definePress({
    actionId,
    answer: 'add',
    value: jsonText.pipe(Look),
    run: (look, caller, services) => send(look, caller, services, format),
  });
}

export const auditCommand = defineCommand({
  name: 'audit',
  usage: 'audit [filter] [csv]',
  summary: 'Show who did what, or get it as a file (admins only)',
  level: 'admin',
  examples: ['audit', 'audit @sam last 7 days', 'audit csv'],
  argument: z
    .string()
    // The buttons carry it as JSON, where a vertical tab takes six characters.
    .transform((typed) => typed.replaceAll(/\s+/g, ' ').trim())
    .pipe(z.string().max(LONGEST_FILTER, `A filter is limited to ${LONGEST_FILTER} characters.`)),
  run(typed, caller, services) {
    const now = new Date(services.now());
    const before = now.toISOString();
    const format = FORMATS.get(AS_FILE.exec(typed)?.[1]?.toLowerCase() ?? '');
    const filter = typed.replace(AS_FILE, ' ').trim();
    if (format !== undefined) return send({ filter, before }, caller, services, format);
    return show({ filter, before, from: positionBefore(now), offset: 0 }, caller, services);
  },
  presses: [
    definePress({ actionId: ACTION.auditMore, answer: 'replace', value: jsonText.pipe(Page), run: show }),
    filePress(ACTION.auditFile, 'csv'),
    filePress(ACTION.auditLines, 'jsonl'),
  ],
});
