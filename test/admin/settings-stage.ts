import { onTestFinished } from 'vitest';
import { createAudit } from '../../src/audit/audit.ts';
import type { AuditEntry } from '../../src/audit/audit.ts';
import type { Database } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open.ts';
import { sql } from '../../src/database/sql.ts';
import { RightUnknownError } from '../../src/permissions/acts.ts';
import { createSettingsRepository } from '../../src/workspaces/settings.ts';
import { createAdminCheck } from '../../src/admin/admin-check.ts';
import type { SettingsParts } from '../../src/admin/settings.ts';
import type { Message } from '../../src/messages/message.ts';
import type { Saved } from '../../src/messages/modal.ts';
import { keepSettings } from '../support/settings-values.ts';
import { unheard } from '../audit/unheard.ts';

/** What is said of a saved form, whether it closes then or stays. */
export const wordsOf = (answer: Message | Saved) => ('saved' in answer ? answer.saved : answer).text;

export const ada = { workspaceId: 'T1', userId: 'U0ADA' };
export const alex = { workspaceId: 'T1', userId: 'U0ALEX' };

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

/** Settings over a real database; Ada is an admin as long as the test says so, and while Slack can be asked. */
export async function openSettings(start: object = {}) {
  const database = await openDatabase('memory:');
  onTestFinished(() => database.close());
  const { settings, recorded, broken } = settingsOn(database);
  await keepSettings(database, 'T1', start);
  const admins = new Set([ada.userId]);
  const refusals: string[] = [];
  const slack = { isDown: false };
  const parts: SettingsParts = {
    settings,
    isAdmin: createAdminCheck({
      async isAdmin({ userId }) {
        if (slack.isDown) throw new RightUnknownError(new Error('Slack is down'));
        return admins.has(userId);
      },
      record: async ({ action, userId, outcome, detail }) =>
        void refusals.push(`${action}: ${userId} ${outcome} ${String(detail?.['act'])}`),
    }),
  };
  const stored = () => settings.of('T1');
  return { parts, database, admins, recorded, refusals, audit: broken, slack, stored };
}
