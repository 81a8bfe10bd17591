import { asking } from '../permissions/asking.ts';
import type { NewEntry } from '../audit/audit.ts';
import type { Viewer } from './viewer.ts';

/** What a viewer wanted, in ids and words of ours. */
type Wanted = { readonly act: string } & NewEntry['detail'];

/**
 * Whether a viewer is an admin, asked at each step: who saw a button may be none any more. Whoever is none is on record,
 * and so is whoever could not be asked about, before it rejects.
 */
export type AdminCheck = (viewer: Viewer, wanted: Wanted) => Promise<boolean>;

interface AdminCheckParts {
  /** Rejects with a RightUnknownError where Slack cannot be asked. */
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
