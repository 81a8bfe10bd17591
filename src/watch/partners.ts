import { wasAccepted, type Session, type Visitor } from '../cobrowse/schemas.ts';
import { isWaiting, type SessionPartners } from '../messages/visitor-pieces.ts';
import { namedLink } from '../sessions/session-links.ts';
import { IN_USE_MS, type LinkInUse, type WatchLinks } from '../sessions/watch-links.ts';
import type { OnIt } from '../visitors/on-it.ts';
import type { Agents } from './agents.ts';

/** More names would hide the page the visitor is on. */
const MOST_NAMED = 2;

interface PartnersParts {
  readonly links: Pick<WatchLinks, 'inUse'>;
  /** The visitor alone, who may come with their sessions. Rejects if the service doesn't say soon. */
  readonly visitorOf: (workspaceId: string, visitorId: string) => Promise<Visitor>;
  readonly onIt: Pick<OnIt, 'holders'>;
  readonly agents: Pick<Agents, 'nameOf'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Called where the links can't be read: a list is worth showing without them. */
  readonly report: (error: unknown) => void;
}

/** Names in words: "Alex Rivera", "you and Sam Lee", "Alex Rivera, Sam Lee and others". */
function inWords(names: readonly string[]): string {
  const [first = '', second] = names;
  if (second === undefined) return first;
  return names.length > MOST_NAMED ? `${first}, ${second} and others` : `${first} and ${second}`;
}

/**
 * Of a visitor's links, those whose session the visitor accepted, or may have; if there are none, those who asked. All of
 * them, if the service doesn't list its sessions.
 */
function present(links: readonly LinkInUse[], sessions: readonly Session[]) {
  const running = sessions.filter(({ ended_at: endedAt }) => endedAt === undefined);
  if (running.length === 0) return { there: links, isAsking: false };
  const whose = (ofThem: readonly Session[]) =>
    links.filter(({ linkId }) => ofThem.some((session) => [undefined, linkId].includes(namedLink(session))));
  const accepted = whose(running.filter((session) => wasAccepted(session) !== false));
  return accepted.length > 0
    ? { there: accepted, isAsking: false }
    : { there: whose(running), isAsking: true };
}

/** Gives who is in the sessions of visitors, as far as this app gave the links, and who is on it where they wait. Never rejects. */
export function createPartnersOf({ links, visitorOf, onIt, agents, now, report }: PartnersParts) {
  async function orNone<Pair>(look: Promise<readonly Pair[]>): Promise<readonly Pair[]> {
    try {
      return await look;
    } catch (error) {
      report(error);
      return [];
    }
  }

  return async function partnersOf(
    { workspaceId, userId: asker }: { readonly workspaceId: string; readonly userId: string },
    visitors: readonly Visitor[],
  ): Promise<SessionPartners> {
    const nameOf = async (userId: string) => (userId === asker ? 'you' : agents.nameOf(workspaceId, userId));

    /** A list shows its visitors without their sessions. */
    async function sessionsWith(visitor: Visitor): Promise<readonly Session[]> {
      return visitor.sessions.length > 0
        ? visitor.sessions
        : (await visitorOf(workspaceId, visitor.short_id)).sessions;
    }

    async function partnerOf(visitor: Visitor, given: readonly LinkInUse[]) {
      if (given.length === 0) return [];
      const { there, isAsking } = present(given, await sessionsWith(visitor));
      const users = [...new Set(there.map(({ userId }) => userId))].slice(0, MOST_NAMED + 1);
      if (users.length === 0) return [];
      const names = inWords(await Promise.all(users.map(nameOf)));
      return [[visitor.short_id, { names, isAsking }] as const];
    }

    async function inSession(those: readonly Visitor[]) {
      if (those.length === 0) return [];
      const ids = those.map((visitor) => visitor.short_id);
      const inUse = await links.inUse(workspaceId, ids, now() - IN_USE_MS);
      const given = Map.groupBy(inUse, ({ visitorId }) => visitorId);
      const named = those.map((visitor) => orNone(partnerOf(visitor, given.get(visitor.short_id) ?? [])));
      return (await Promise.all(named)).flat();
    }

    async function holders(ids: readonly string[]) {
      if (ids.length === 0) return [];
      const held = await onIt.holders(workspaceId, ids);
      return Promise.all(
        Array.from(held, async ([visitorId, userId]) => {
          return [visitorId, { names: await nameOf(userId), isAsking: false }] as const;
        }),
      );
    }

    const waitingIds = visitors.filter(isWaiting).map((visitor) => visitor.short_id);
    const [partners, waiting] = await Promise.all([
      orNone(inSession(visitors.filter((visitor) => visitor.is_in_session === true))),
      orNone(holders(waitingIds)),
    ]);
    return new Map([...partners, ...waiting]);
  };
}
