import type { RecordChanges } from '../grants/setting-changes.ts';
import type { Ground } from './ground.ts';

/** Each change as a record of its own, ids and words of ours as they are stored. */
export function recordChanges({ audit }: Pick<Ground, 'audit'>): RecordChanges {
  return async function record({ workspaceId, userId }, changes, outcome) {
    for (const { setting, from, to } of changes) {
      const detail = { setting, from: JSON.stringify(from), to: JSON.stringify(to) };
      await audit.record({ workspaceId, userId, action: 'setting', outcome, detail });
    }
  };
}
