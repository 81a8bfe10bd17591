import { VisitorSchema } from '../cobrowse/schemas.ts';
import type { Visitor } from '../cobrowse/schemas.ts';
import type { Recording } from '../audit/recording.ts';
import type { Caller } from '../commands/caller.ts';
import { canLook } from '../permissions/acts.ts';
import type { MayAct } from '../permissions/acts.ts';
import { searchVisitors, visitorWithId } from './visitor-search.ts';

/** Only what someone who knows the visitor's id knows already, and whether they are here or in a session. */
export const byIdAlone = ({ short_id, is_online, is_in_session, sessions }: Visitor): Visitor =>
  VisitorSchema.parse({ short_id, is_online, is_in_session, sessions });

/**
 * Who may be meant, of those that a command ends or removes something of. People who can do that but not see customers have to
 * type the id: nothing is searched for them, and they read no name.
 */
export async function visitorsMeant(
  text: string,
  caller: Caller,
  { mayAct, recording }: { readonly mayAct: MayAct; readonly recording: Pick<Recording, 'search'> },
): Promise<{ readonly found: readonly Visitor[]; readonly isByIdAlone: boolean }> {
  const { cobrowse } = caller.workspace;
  const isByIdAlone = !canLook(await mayAct('watch', caller));
  const found = await recording.search(caller, text, async () => {
    if (!isByIdAlone) return searchVisitors(text, cobrowse, { idFirst: true });
    const known = await visitorWithId(text, cobrowse);
    return known === undefined ? [] : [byIdAlone(known)];
  });
  return { found, isByIdAlone };
}
