import type { RecordChanges } from '../grants/setting-changes.ts';
import type { Ground } from './ground.ts';

/** Each change as a record of its own, ids and words of ours as they are stored. */
export function recordChanges({ trail }: Pick<Ground, 'trail'>): RecordChanges {
  return async function record({ workspaceId, userId }, changes, outcome) {
    for (const { setting, from, to } of changes) {
      const detail = { setting, from: JSON.stringify(from), to: JSON.stringify(to) };
      await trail.record({ workspaceId, userId, deed: 'setting', outcome, detail });
    }
  };
}
