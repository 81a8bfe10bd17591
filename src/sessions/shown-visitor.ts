import type { CobrowseClient } from '../cobrowse/client.ts';
import type { Shared } from '../messages/visitor-pieces.ts';
import { visitorName } from '../messages/visitor-pieces.ts';

/** Whether people from other organisations can read a channel, or a person's direct messages. Never rejects. */
export type IsShared = (workspaceId: string, place: string) => Promise<Shared>;

/** How a visitor is shown in a place. `isCut`: personal details are left out. */
export interface ShownVisitor {
  readonly visitor: string;
  readonly isCut: Shared;
}

/** A visitor as a place can show it: by name, or by id alone if people from other organisations can read it. */
export type ShowVisitor = (
  workspaceId: string,
  visitorId: string,
  place: string | undefined,
) => Promise<ShownVisitor>;

export function createShowVisitor(
  workspaceOf: (workspaceId: string) => Promise<{ readonly cobrowse: Pick<CobrowseClient, 'visitor'> }>,
  isShared: IsShared,
): ShowVisitor {
  return async function showVisitor(workspaceId, visitorId, place) {
    const known = await workspaceOf(workspaceId)
      .then(({ cobrowse }) => cobrowse.visitor(visitorId))
      .catch(() => undefined);
    // Asked last: the service may be slow, and the channel could become shared in the meantime.
    const isCut = place === undefined ? 'unknown' : await isShared(workspaceId, place);
    return { visitor: known === undefined || isCut !== false ? visitorId : visitorName(known), isCut };
  };
}
