import type { Act } from './acts.ts';
import type { SettingsBook, WorkspaceSettings } from './settings.ts';

/** A setting that is no longer what it was, in ids and words of ours. */
export interface SettingChange {
  readonly setting: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** What the audit calls the rule of who may do something. */
export const settingOf = (act: Act): string => `may-${act}`;

/** Who changes settings; an empty `userId` is the app itself. */
export interface Changer {
  readonly workspaceId: string;
  readonly userId: string;
}

/** Writes changes into the audit; resolves once that is durable. */
export type RecordChanges = (
  by: Changer,
  changes: readonly SettingChange[],
  outcome: 'asked' | 'done',
) => Promise<void>;

/** What the settings are to be, and what of it is a change. */
export interface Decided {
  readonly after: WorkspaceSettings;
  readonly changes: readonly SettingChange[];
}

/**
 * Changes a workspace's settings, one change after the other, and gives what they are then. Each change is on record as
 * `asked` before it counts, and as `done` after. Rejects, and changes nothing, where that cannot be written.
 */
export type ChangeSettings = (
  by: Changer,
  decide: (before: WorkspaceSettings) => Decided,
) => Promise<WorkspaceSettings>;

export function createChangeSettings(
  book: Pick<SettingsBook, 'change'>,
  record: RecordChanges,
): ChangeSettings {
  return async function changeSettings(by, decide) {
    let changes: readonly SettingChange[] = [];
    const after = await book.change(by.workspaceId, async (before) => {
      const decided = decide(before);
      changes = decided.changes;
      // Before it counts: nobody is to have a wider right that is not on record.
      if (changes.length > 0) await record(by, changes, 'asked');
      return decided.after;
    });
    // It counts already, and the log has the record even where the audit has not.
    if (changes.length > 0) await record(by, changes, 'done').catch(() => undefined);
    return after;
  };
}
