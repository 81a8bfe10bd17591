import type { World } from '../world.ts';
import type { PageHello } from './page-messages.ts';

/** The visitors of pages with the snippet: each has a token that only their browser knows. */
export interface SiteVisitors {
  /** The token that identifies a page as this visitor's. */
  readonly tokenOf: (world: World, visitorId: string) => string;
  /** The visitor whose page says hello; somebody new if it has no token of ours. */
  readonly meet: (hello: PageHello) => {
    readonly world: World;
    readonly visitorId: string;
    readonly token: string;
  };
}

const mostVisitors = 1_000;
const longestText = 80;

const keyOf = (place: World, visitorId: string) => `${place.onPremise}/${visitorId}`;

/** @param world where new visitors are added */
export function createSiteVisitors(world: World, randomId: () => string, chance: () => number): SiteVisitors {
  const byToken = new Map<string, { readonly world: World; readonly visitorId: string }>();
  const tokens = new Map<string, string>();

  function tokenOf(place: World, visitorId: string): string {
    const key = keyOf(place, visitorId);
    const token = tokens.get(key) ?? randomId();
    tokens.set(key, token);
    byToken.set(token, { world: place, visitorId });
    return token;
  }

  function freeCode(): string {
    const taken = new Set(world.visitors.latest().map(({ fields }) => fields.lookup_code));
    for (;;) {
      const code = String(Math.floor(1_000 + chance() * 9_000));
      if (!taken.has(code)) return code;
    }
  }

  /** Memory is limited: removes whoever came longest ago and has left. */
  function makeRoom() {
    const real = world.visitors.latest().filter(({ isReal }) => isReal);
    const oldest = real.length < mostVisitors ? undefined : real.findLast(({ hasPage }) => !hasPage);
    if (oldest === undefined) return;
    const { short_id } = oldest.fields;
    byToken.delete(tokens.get(keyOf(world, short_id)) ?? '');
    tokens.delete(keyOf(world, short_id));
    world.visitors.remove(short_id);
  }

  function welcome({ name, email }: PageHello): string {
    makeRoom();
    const visitorId = randomId().slice(0, 12);
    world.visitors.add({
      short_id: visitorId,
      isReal: true,
      stays: true,
      lookup_code: freeCode(),
      // Nobody has verified what a page says about its visitor.
      identities: name ? [name.slice(0, longestText)] : null,
      email: email ? email.slice(0, longestText) : null,
    });
    return visitorId;
  }

  return {
    tokenOf,
    meet(hello) {
      const known = hello.visitor === undefined ? undefined : byToken.get(hello.visitor);
      if (known?.world.visitors.find(known.visitorId) && hello.visitor !== undefined)
        return { ...known, token: hello.visitor };
      const visitorId = welcome(hello);
      return { world, visitorId, token: tokenOf(world, visitorId) };
    },
  };
}
