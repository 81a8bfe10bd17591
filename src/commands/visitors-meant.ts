import type { Visitor } from '../cobrowse/schemas.ts';
import { mayLook } from './allowed.ts';
import type { Caller } from './caller.ts';
import type { Uses } from './services.ts';
import { searchVisitors, visitorWithId } from './visitor-search.ts';

interface Asking {
  readonly caller: Caller;
  readonly services: Uses<'cobrowse' | 'mayAct' | 'record' | 'recording'>;
}

/**
 * Who may be meant, of those that a command ends or removes something of. People who can do that but not see customers have to
 * type the id: nothing is searched for them.
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
    return known === undefined ? [] : [known];
  });
  return { found, isByIdAlone };
}
