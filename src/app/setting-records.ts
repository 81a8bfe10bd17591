import type { RecordChanges } from '../grants/setting-changes.ts';
import type { RecordRefusal } from '../home/admin-form.ts';
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

/** Who is no admin, and wanted a form for admins. */
export function recordRefusal({ trail }: Pick<Ground, 'trail'>): RecordRefusal {
  return ({ workspaceId, userId }, act) =>
    trail.record({ workspaceId, userId, deed: 'refusal', outcome: 'not-admin', detail: { act } });
}
