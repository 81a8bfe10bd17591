import type { Visitor } from '../cobrowse/schemas.ts';
import type { Shared } from '../views/cut-words.ts';
import { visitorName } from '../views/visitor-pieces.ts';

/** Whether people of other organisations read along in a channel, or a person's direct messages. Never rejects. */
export type IsShared = (workspaceId: string, place: string) => Promise<Shared>;

/** What a place is told of a visitor. `isCut`: personal details are left out there. */
export interface ShownVisitor {
  readonly visitor: string;
  readonly isCut: Shared;
}

export interface ShownVisitorParts {
  /** The visitor, for its name; undefined where it cannot be looked up. Never rejects. */
  readonly visitor: (workspaceId: string, visitorId: string) => Promise<Visitor | undefined>;
  readonly isShared: IsShared;
}

/** A visitor as a place may show it: by name, or by id alone where people of other organisations read along. */
export type ShowVisitor = (
  workspaceId: string,
  visitorId: string,
  place: string | undefined,
) => Promise<ShownVisitor>;

export function createShowVisitor({ visitor, isShared }: ShownVisitorParts): ShowVisitor {
  return async function showVisitor(workspaceId, visitorId, place) {
    const known = await visitor(workspaceId, visitorId);
    // Asked last: the service may be slow, and a channel be shared meanwhile.
    const isCut = place === undefined ? 'unknown' : await isShared(workspaceId, place);
    return { visitor: known === undefined || isCut !== false ? visitorId : visitorName(known), isCut };
  };
}
