import type { Visitor } from '../cobrowse/schemas.ts';
import { IN_USE_MS } from '../links/watch-links.ts';
import type { WatchLinks } from '../links/watch-links.ts';
import type { SessionPartners } from '../views/visitor-pieces.ts';
import { isWaiting } from '../views/visitor-pieces.ts';
import type { Agents } from './agents.ts';
import type { OnIt } from './on-it.ts';

/** More names would hide the page the visitor is on. */
const MOST_NAMED = 2;

interface PartnersParts {
  readonly links: Pick<WatchLinks, 'inUse'>;
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

/** Gives who is in the sessions of visitors, as far as this app gave the links, and who is on it where they wait. Never rejects. */
export function createPartnersOf({ links, onIt, agents, now, report }: PartnersParts) {
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

    async function inSession(ids: readonly string[]) {
      if (ids.length === 0) return [];
      const inUse = await links.inUse(workspaceId, ids, now() - IN_USE_MS);
      const people = Map.groupBy(inUse, ({ visitorId }) => visitorId);
      const named = Array.from(people, async ([visitorId, given]) => {
        const users = [...new Set(given.map(({ userId }) => userId))].slice(0, MOST_NAMED + 1);
        return [visitorId, inWords(await Promise.all(users.map(nameOf)))] as const;
      });
      return Promise.all(named);
    }

    async function holders(ids: readonly string[]) {
      if (ids.length === 0) return [];
      const held = await onIt.holders(workspaceId, ids);
      return Promise.all(
        Array.from(held, async ([visitorId, userId]) => [visitorId, await nameOf(userId)] as const),
      );
    }

    const idsWhere = (is: (visitor: Visitor) => boolean) =>
      visitors.filter((visitor) => is(visitor)).map((visitor) => visitor.short_id);
    const [partners, waiting] = await Promise.all([
      orNone(inSession(idsWhere((visitor) => visitor.is_in_session === true))),
      orNone(holders(idsWhere(isWaiting))),
    ]);
    return new Map([...partners, ...waiting]);
  };
}
