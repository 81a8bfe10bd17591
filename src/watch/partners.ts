import type { CobrowseClient } from '../cobrowse/client.ts';
import { wasAccepted, type Session, type Visitor } from '../cobrowse/schemas.ts';
import type { Viewer } from '../commands/rights.ts';
import { isWaiting, type Partner } from '../messages/visitor-pieces.ts';
import type { App } from '../parts.ts';
import { namedLink } from '../sessions/session-links.ts';
import { IN_USE_MS, type LinkInUse, type WatchLinks } from '../sessions/watch-links.ts';
import type { OnIt } from '../visitors/on-it.ts';
import type { Agents } from './agents.ts';

/** How long a list waits to learn whether a customer has accepted. */
const LOOK_UP_MS = 1_500;
/** More names would hide the page the visitor is on. */
const MOST_NAMED = 2;

/** "Alex Rivera", "you and Sam Lee", "Alex Rivera, Sam Lee and others". */
function inWords(names: readonly string[]): string {
  const [first = '', second] = names;
  if (second === undefined) return first;
  return names.length > MOST_NAMED ? `${first}, ${second} and others` : `${first} and ${second}`;
}

/** The links whose session the visitor accepted, or may have; else of those who asked; all if the service lists no sessions. */
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

const idsOf = (those: readonly Visitor[]) => those.map((visitor) => visitor.short_id);

interface PartnersParts {
  readonly links: Pick<WatchLinks, 'inUse'>;
  readonly onIt: Pick<OnIt, 'holders'>;
  readonly agents: Pick<Agents, 'nameOf'>;
  /** Called where the links can't be read: a list is worth showing without them. */
  readonly reportPartners: (error: unknown) => void;
}

/** Who asks, and their workspace as far as it's needed here. */
interface Asker extends Pick<Viewer, 'userId'> {
  readonly workspace: Parameters<Agents['nameOf']>[0] & {
    readonly cobrowse: Pick<CobrowseClient, 'visitor'>;
  };
}

/** Who is in visitors' sessions, as far as this app gave the links, and who is on it where they wait. Never rejects. */
export function createPartnersOf(
  { now }: Pick<App, 'now'>,
  { links, onIt, agents, reportPartners: report }: PartnersParts,
) {
  return async function partnersOf({ workspace, userId: asker }: Asker, visitors: readonly Visitor[]) {
    const workspaceId = workspace.id;
    const nameOf = async (userId: string) => (userId === asker ? 'you' : agents.nameOf(workspace, userId));
    const partners = new Map<string, Partner>();

    async function addPartner({ short_id: id, sessions }: Visitor, given: readonly LinkInUse[]) {
      if (given.length === 0) return;
      // A list shows its visitors without their sessions.
      const known =
        sessions.length > 0
          ? sessions
          : (await workspace.cobrowse.visitor(id, { timeoutMs: LOOK_UP_MS })).sessions;
      const { there, isAsking } = present(given, known);
      const users = [...new Set(there.map(({ userId }) => userId))].slice(0, MOST_NAMED + 1);
      if (users.length > 0)
        partners.set(id, { names: inWords(await Promise.all(users.map(nameOf))), isAsking });
    }

    async function addInSession(those: readonly Visitor[]): Promise<void> {
      if (those.length === 0) return;
      const inUse = await links.inUse(workspaceId, idsOf(those), now() - IN_USE_MS);
      const given = Map.groupBy(inUse, ({ visitorId }) => visitorId);
      await Promise.all(those.map((one) => addPartner(one, given.get(one.short_id) ?? []).catch(report)));
    }

    async function holders(those: readonly Visitor[]) {
      if (those.length === 0) return [];
      const held = await onIt.holders(workspaceId, idsOf(those));
      return Promise.all(Array.from(held, async ([id, userId]) => [id, await nameOf(userId)] as const));
    }

    const [, waiting] = await Promise.all([
      addInSession(visitors.filter((visitor) => visitor.is_in_session === true)).catch(report),
      holders(visitors.filter(isWaiting)).catch((error: unknown) => {
        report(error);
        return [];
      }),
    ]);
    for (const [id, names] of waiting) partners.set(id, { names, isAsking: false });
    return partners;
  };
}
