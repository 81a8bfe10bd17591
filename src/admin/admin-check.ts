import { asking } from '../permissions/asking.ts';
import type { NewEntry } from '../audit/audit.ts';
import type { Viewer } from '../commands/caller.ts';

/** What a viewer wanted, for the audit. */
type Wanted = { readonly act: string } & NewEntry['detail'];

/**
 * Whether a viewer is an admin, checked at each step: someone who saw a button may no longer be one. A refusal is on record,
 * also when Slack couldn't be asked, before it rejects.
 */
export type AdminCheck = (viewer: Viewer, wanted: Wanted) => Promise<boolean>;

interface AdminCheckParts {
  /** Rejects with a RightUnknownError if Slack can't be asked. */
  readonly isAdmin: (viewer: Viewer) => Promise<boolean>;
  readonly record: (entry: NewEntry) => Promise<void>;
}

export function createAdminCheck({ isAdmin, record }: AdminCheckParts): AdminCheck {
  return async function check(viewer, detail) {
    const refuse = (outcome: string) => record({ ...viewer, action: 'refusal', outcome, detail });
    const mayGoOn = await asking(() => isAdmin(viewer), refuse);
    if (!mayGoOn) await refuse('not-admin');
    return mayGoOn;
  };
}
