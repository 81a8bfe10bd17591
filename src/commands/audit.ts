import { z } from 'zod';
import { readRecordedChange } from '../grants/recorded-change.ts';
import { positionBefore } from '../audit/audit.ts';
import type { AuditEntry } from '../audit/audit.ts';
import type { AuditFilter } from '../audit/filter.ts';
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

/** What is looked at: the filter as typed, at the moment of the first look, so that later entries move no page. */
const Look = z.object({ filter: z.string().max(LONGEST_FILTER), before: z.iso.datetime() });
/** Where a page begins, and how many entries came before it. */
const Page = Look.extend({ from: z.object({ at: z.int(), id: z.int() }), offset: z.int().min(0) });
type Look = z.infer<typeof Look>;

type AuditServices = Uses<'isAdmin' | 'audit' | 'record' | 'sendFile'>;

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

/** Does something with the filter; words where it is not understood. */
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
      records: entries.map((entry) => ({ ...entry, change: changeIn(entry) })),
      more: after && JSON.stringify(after satisfies typeof page),
      searchedTo: next && new Date(next.at),
      file: JSON.stringify(look),
    });
  });
}

function send(look: Look, caller: Caller, services: AuditServices): Promise<Message> {
  return withFilter(look, { caller, services }, async (filter) => {
    const from = positionBefore(new Date(look.before));
    const { content, count, isCut } = await auditFile(services.audit.read(caller.workspaceId, filter, from));
    if (count === 0) return emptyAudit(filter);
    const sent = await services.sendFile(caller, {
      name: `audit-trail-${look.before.slice(0, 10)}.jsonl`,
      title: 'Audit trail',
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
  run(filter, caller, services) {
    const now = new Date(services.now());
    const from = positionBefore(now);
    return show({ filter, before: now.toISOString(), from, offset: 0 }, caller, services);
  },
  presses: [
    definePress({ actionId: ACTION.auditMore, answer: 'replace', value: jsonText.pipe(Page), run: show }),
    definePress({ actionId: ACTION.auditFile, answer: 'add', value: jsonText.pipe(Look), run: send }),
  ],
});
