import { onTestFinished } from 'vitest';
import { RightUnknownError } from '../../src/grants/acts.ts';
import { createChangeSettings } from '../../src/grants/setting-changes.ts';
import type { SettingChange } from '../../src/grants/setting-changes.ts';
import { WorkspaceSettings, createSettingsBook } from '../../src/grants/settings.ts';
import { createAdminCheck } from '../../src/home/admin-check.ts';
import type { SettingsParts } from '../../src/home/settings.ts';
import { openStorage } from '../../src/storage/open.ts';

export const ada = { workspaceId: 'T1', userId: 'U0ADA' };
export const alex = { workspaceId: 'T1', userId: 'U0ALEX' };

interface Recorded {
  readonly by: string;
  readonly outcome: 'asked' | 'done';
  readonly changes: readonly SettingChange[];
}

/** Settings over a real store; Ada is an admin as long as the test says so, and while Slack can be asked. */
export async function openSettings(start: object = {}) {
  const storage = await openStorage('memory:');
  onTestFinished(() => storage.close());
  const book = createSettingsBook(storage.store('workspace-settings'));
  await book.change('T1', () => WorkspaceSettings.parse(start));
  const admins = new Set([ada.userId]);
  const recorded: Recorded[] = [];
  const refusals: string[] = [];
  const audit = { isDown: false };
  const slack = { isDown: false };
  const parts: SettingsParts = {
    book,
    change: createChangeSettings(book, async ({ userId }, changes, outcome) => {
      if (audit.isDown) throw new Error('the audit is down');
      recorded.push({ by: userId, outcome, changes });
    }),
    isAdmin: createAdminCheck({
      async isAdmin({ userId }) {
        if (slack.isDown) throw new RightUnknownError(new Error('Slack is down'));
        return admins.has(userId);
      },
      record: async ({ action, userId, outcome, detail }) =>
        void refusals.push(`${action}: ${userId} ${outcome} ${String(detail?.['act'])}`),
    }),
  };
  return { parts, admins, recorded, refusals, audit, slack, stored: () => book.of('T1') };
}
