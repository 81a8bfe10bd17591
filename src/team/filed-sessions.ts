import { CobrowseError } from '../cobrowse/errors.ts';
import type { Caller } from '../commands/rights.ts';
import { visitorName } from '../messages/visitor-pieces.ts';
import type { App } from '../parts.ts';
import type { FiledSession, SeenSession } from './sessions-message.ts';

/** Of so many different customers a file has the names: each costs a request. */
const MOST_NAMED = 200;

/** Asks about each id once. */
function createOnce<Found>(ask: (id: string) => Promise<Found | undefined>) {
  const asked = new Map<string, Promise<Found | undefined>>();
  return async function once(id: string | undefined): Promise<Found | undefined> {
    if (id === undefined || id === '') return undefined;
    const answer = asked.get(id) ?? ask(id);
    asked.set(id, answer);
    return answer;
  };
}

/** Adds to sessions of a file what goes by their ids. @param hasNames whether an admin allows customers' names */
export function createFiling(
  { workspaceId, userId, workspace }: Caller,
  { colleagueOf, channelNameOf, isInChannel }: App,
  hasNames: boolean,
) {
  let left = MOST_NAMED;
  let isCut = false;

  const customerOf = createOnce(async (visitorId): Promise<FiledSession['customer']> => {
    isCut ||= left === 0;
    if (isCut) return undefined;
    left -= 1;
    try {
      const visitor = await workspace.cobrowse.visitor(visitorId);
      return { name: visitorName(visitor), email: visitor.email };
    } catch (error) {
      if (!(error instanceof CobrowseError)) throw error;
      // A service that fails isn't asked for each of the others.
      isCut = error.kind !== 'not-found';
      return undefined;
    }
  });
  const personOf = createOnce((id) =>
    colleagueOf(workspaceId, id).then(
      (colleague) => colleague?.name,
      () => undefined,
    ),
  );
  const channelOf = createOnce(async (id) => {
    const found = await channelNameOf(workspaceId, id);
    const mayKnow =
      found?.isPublic === true ||
      (await isInChannel(workspaceId, userId, id).catch(() => undefined)) === true;
    return mayKnow ? found?.name : undefined;
  });

  return {
    /** Whether some customers have no name because there were too many, or the service failed. */
    isCut: () => isCut,
    filed: async (seen: SeenSession): Promise<FiledSession> => ({
      ...seen,
      person: await personOf(seen.end.link.userId),
      channel: await channelOf(seen.channelId),
      customer: hasNames && seen.isCut === false ? await customerOf(seen.end.link.visitorId) : undefined,
    }),
  };
}
