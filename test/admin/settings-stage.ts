import { onTestFinished } from 'vitest';
import { createAudit, type AuditEntry } from '../../src/audit/audit.ts';
import type { Complaints } from '../../src/commands/command.ts';
import { sql, type Database } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open.ts';
import type { Message } from '../../src/messages/message.ts';
import type { Saved, Unsaved } from '../../src/messages/modal.ts';
import { createSettingsRepository } from '../../src/workspaces/settings.ts';
import { unheard } from '../audit/unheard.ts';
import { keepSettings } from '../support/settings-values.ts';

/** What is said of a saved form, whether it closes then or stays. */
export function wordsOf(answer: Message | Saved | Unsaved): string {
  if ('again' in answer) return Object.values(answer.complaints).join('\n');
  return ('saved' in answer ? answer.saved : answer).text;
}

/** What is wrong, without what isn't. */
export const wrongIn = (complaints: Complaints) =>
  Object.fromEntries(Object.entries(complaints).flatMap(([block, words]) => (words ? [[block, words]] : [])));

const members = { members: true, ids: [] };
const rules = { watch: members, stop: members, delete: { members: false, ids: [] }, usage: members };
export const ada = {
  workspaceId: 'T1',
  userId: 'U0ADA',
  workspace: { defaults: { rules, summaryChannel: undefined }, linkHosts: ['live.example'] },
};

/** A change as the audit has it. */
const changeIn = ({ userId, outcome, detail = {} }: AuditEntry) => ({
  by: userId,
  outcome,
  setting: detail['setting'],
  from: JSON.parse(String(detail['from'])),
  to: JSON.parse(String(detail['to'])),
});

/** The settings in a database, with what the audit was told of them. */
export function settingsOn(database: Database) {
  const recorded: ReturnType<typeof changeIn>[] = [];
  const audit = createAudit({
    database,
    now: Date.now,
    keptDays: 1,
    secret: '',
    report: { ...unheard, entry: (entry) => void recorded.push(changeIn(entry)) },
  });
  const broken = { isDown: false };
  const settings = createSettingsRepository({
    database,
    now: Date.now,
    prepare: (entry) => ({
      ...audit.prepare(entry),
      ...(broken.isDown ? { statement: sql`INSERT INTO audit (id) VALUES (NULL)` } : {}),
    }),
  });
  return { settings, recorded, broken };
}

/** Settings over a real database. */
export async function openSettings(start: object = {}) {
  const database = await openDatabase('memory:');
  onTestFinished(() => database.close());
  const { settings, recorded, broken } = settingsOn(database);
  await keepSettings(database, 'T1', start);
  return { settings, database, recorded, audit: broken, stored: () => settings.of('T1') };
}
