import { z } from 'zod';
import { readRecordedChange } from '../grants/recorded-change.ts';
import { filtered } from '../audit/filter.ts';
import type { AuditFilter } from '../audit/filter.ts';
import type { AuditEntry } from '../audit/audit.ts';
import { ACTION } from '../views/action-ids.ts';
import {
  RECORDS_ON_A_PAGE,
  auditFileComment,
  auditFileRefused,
  auditFileSent,
  auditForAdmins,
  auditPage,
  auditUsage,
  emptyAudit,
} from '../views/audit.ts';
import type { Message } from '../views/message.ts';
import { asked, recordRefusal } from './allowed.ts';
import { auditFile } from './audit-file.ts';
import { readFilter } from './audit-filter.ts';
import type { Caller } from './caller.ts';
import { defineCommand } from './command.ts';
import { definePress, jsonText } from './press.ts';
import type { Uses } from './services.ts';

const LONGEST_FILTER = 500;
/** Each page is counted from the newest record on: beyond, the file is the better way. */
const FURTHEST = 1_000;

/** What is looked at: the filter as typed, at the moment of the first look, so that later records move no page. */
const Look = z.object({ filter: z.string().max(LONGEST_FILTER), before: z.iso.datetime() });
const Page = Look.extend({ offset: z.int().min(0).max(FURTHEST) });
type Look = z.infer<typeof Look>;

type AuditServices = Uses<'isAdmin' | 'audit' | 'record' | 'sendFile'>;

interface Wanted {
  readonly look: Look;
  readonly filter: AuditFilter;
  readonly records: AsyncIterable<AuditEntry>;
}

const changeIn = ({ action, detail }: AuditEntry) =>
  action === 'setting' ? readRecordedChange(detail) : undefined;

/** Asked at every look and press: whoever saw the button may be no admin any more. */
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

/** Does something with the records that are wanted; words where the filter is not understood. */
function withRecords(
  look: Look,
  { caller, services }: { readonly caller: Caller; readonly services: AuditServices },
  work: (wanted: Wanted) => Promise<Message>,
): Promise<Message> {
  return ifAdmin(caller, services, async () => {
    const before = new Date(look.before);
    const filter = readFilter(look.filter, before.getTime());
    if (typeof filter === 'string') return auditUsage(filter);
    const records = filtered(services.audit.read(caller.workspaceId, before), filter);
    return work({ look, filter, records });
  });
}

function show(page: z.infer<typeof Page>, caller: Caller, services: AuditServices): Promise<Message> {
  return withRecords(page, { caller, services }, async ({ filter, records: found }) => {
    const { offset, ...look } = page;
    const end = offset + RECORDS_ON_A_PAGE;
    const taken: AuditEntry[] = [];
    for await (const record of found) {
      taken.push(record);
      if (taken.length > end) break;
    }
    const shown = taken.slice(offset, end);
    const query = services.audit.hashOf(look.filter);
    await note(caller, services, {
      action: 'audit',
      outcome: 'done',
      detail: { query, found: shown.length },
    });
    if (shown.length === 0) return emptyAudit(filter);
    const hasMore = taken.length > end && end <= FURTHEST;
    const more = hasMore ? JSON.stringify({ ...look, offset: end } satisfies typeof page) : undefined;
    const records = shown.map((record) => ({ ...record, change: changeIn(record) }));
    return auditPage({ filter, offset, records, more, file: JSON.stringify(look) });
  });
}

function send(look: Look, caller: Caller, services: AuditServices): Promise<Message> {
  return withRecords(look, { caller, services }, async ({ filter, records }) => {
    const { content, count, isCut } = await auditFile(records);
    if (count === 0) return emptyAudit(filter);
    const sent = await services.sendFile(caller, {
      name: `audit-audit-${look.before.slice(0, 10)}.jsonl`,
      title: 'Audit audit',
      comment: auditFileComment(count, isCut),
      content,
    });
    const outcome = sent.outcome === 'sent' ? 'sent' : 'not-sent';
    const query = services.audit.hashOf(look.filter);
    await note(caller, services, { action: 'audit', outcome, detail: { query, found: count, file: true } });
    return sent.outcome === 'sent' ? auditFileSent(count, isCut) : auditFileRefused(sent);
  });
}

export const auditCommand = defineCommand({
  name: 'audit',
  usage: 'audit [filter]',
  summary: 'Show who did what with the app, and get it as a file; for admins.',
  argument: z
    .string()
    // It travels in the buttons as JSON, where a vertical tab is six characters.
    .transform((typed) => typed.replaceAll(/\s+/g, ' ').trim())
    .pipe(z.string().max(LONGEST_FILTER, `A filter is limited to ${LONGEST_FILTER} characters.`)),
  run: (filter, caller, services) =>
    show({ filter, before: new Date(services.now()).toISOString(), offset: 0 }, caller, services),
  presses: [
    definePress({ actionId: ACTION.auditMore, answer: 'replace', value: jsonText.pipe(Page), run: show }),
    definePress({ actionId: ACTION.auditFile, answer: 'add', value: jsonText.pipe(Look), run: send }),
  ],
});
