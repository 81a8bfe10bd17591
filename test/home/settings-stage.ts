import { onTestFinished } from 'vitest';
import { createChangeSettings } from '../../src/grants/setting-changes.ts';
import type { SettingChange } from '../../src/grants/setting-changes.ts';
import { WorkspaceSettings, createSettingsBook } from '../../src/grants/settings.ts';
import type { SettingsParts } from '../../src/home/settings.ts';
import { openStorage } from '../../src/storage/open.ts';

export const ada = { workspaceId: 'T1', userId: 'U0ADA' };
export const alex = { workspaceId: 'T1', userId: 'U0ALEX' };

interface Recorded {
  readonly by: string;
  readonly outcome: 'asked' | 'done';
  readonly changes: readonly SettingChange[];
}

/** Settings over a real store; Ada is an admin as long as the test says so. */
export async function openSettings(start: object = {}) {
  const storage = await openStorage('memory:');
  onTestFinished(() => storage.close());
  const book = createSettingsBook(storage.store('workspace-settings'));
  await book.change('T1', () => WorkspaceSettings.parse(start));
  const admins = new Set([ada.userId]);
  const recorded: Recorded[] = [];
  const refusals: string[] = [];
  const trail = { isDown: false };
  const parts: SettingsParts = {
    book,
    change: createChangeSettings(book, async ({ userId }, changes, outcome) => {
      if (trail.isDown) throw new Error('the trail is down');
      recorded.push({ by: userId, outcome, changes });
    }),
    isAdmin: async ({ userId }) => admins.has(userId),
    refused: async ({ userId }, act) => void refusals.push(`${userId} ${act}`),
  };
  return { parts, admins, recorded, refusals, trail, stored: () => book.of('T1') };
}
