import type { CobrowseClient } from '../cobrowse/client.ts';
import type { Visitor } from '../cobrowse/schemas.ts';
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

type VisitorOf = Pick<CobrowseClient, 'visitor'>;

/** Undefined where they can't be looked up: what is said of them is said all the same. */
export const visitorIfKnown = (
  cobrowseOf: (workspaceId: string) => Promise<VisitorOf>,
  workspaceId: string,
  visitorId: string,
): Promise<Visitor | undefined> =>
  cobrowseOf(workspaceId)
    .then((cobrowse) => cobrowse.visitor(visitorId))
    .catch(() => undefined);

export function createShowVisitor(
  workspaceOf: (workspaceId: string) => Promise<{ readonly cobrowse: VisitorOf }>,
  isShared: IsShared,
): ShowVisitor {
  const cobrowseOf = async (workspaceId: string) => (await workspaceOf(workspaceId)).cobrowse;
  return async function showVisitor(workspaceId, visitorId, place) {
    const known = await visitorIfKnown(cobrowseOf, workspaceId, visitorId);
    // Asked last: the service may be slow, and the channel could become shared in the meantime.
    const isCut = place === undefined ? 'unknown' : await isShared(workspaceId, place);
    return { visitor: known === undefined || isCut !== false ? visitorId : visitorName(known), isCut };
  };
}
