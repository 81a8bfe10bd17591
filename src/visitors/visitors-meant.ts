import { VisitorSchema } from '../cobrowse/schemas.ts';
import type { Visitor } from '../cobrowse/schemas.ts';
import { mayLook } from '../commands/allowed.ts';
import type { Caller } from '../commands/caller.ts';
import type { Uses } from '../services.ts';
import { searchVisitors, visitorWithId } from './visitor-search.ts';

interface Asking {
  readonly caller: Caller;
  readonly services: Uses<'cobrowse' | 'mayAct' | 'record' | 'recording'>;
}

/** Only what someone who knows the visitor's id knows already, and whether they are here or in a session. */
export const byIdAlone = ({ short_id, is_online, is_in_session, sessions }: Visitor): Visitor =>
  VisitorSchema.parse({ short_id, is_online, is_in_session, sessions });

/**
 * Who may be meant, of those that a command ends or removes something of. People who can do that but not see customers have to
 * type the id: nothing is searched for them, and they read no name.
 */
export async function visitorsMeant(
  text: string,
  { caller, services }: Asking,
): Promise<{ readonly found: readonly Visitor[]; readonly isByIdAlone: boolean }> {
  const { cobrowse, recording } = services;
  const isByIdAlone = !(await mayLook({ caller, services }));
  const found = await recording.search(caller, text, async () => {
    if (!isByIdAlone) return searchVisitors(text, cobrowse, { idFirst: true });
    const known = await visitorWithId(text, cobrowse);
    return known === undefined ? [] : [byIdAlone(known)];
  });
  return { found, isByIdAlone };
}
