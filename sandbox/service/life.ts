import { isInSession, setOnline, type World } from './world.ts';

const shop = 'https://shop.acme.example';

/** Pages that visitors browse. */
const shopPaths = [
  '/',
  '/products',
  '/products/garden-chair',
  '/products/desk-lamp',
  '/cart',
  '/checkout',
  '/account',
  '/help/returns',
];

/**
 * Makes the visitors do something every `everyMs`; returns how to stop. `chance` gives numbers from 0 below 1. Never
 * keeps the process alive.
 */
export function startLife(world: World, chance: () => number, everyMs: number): () => void {
  const timer = setInterval(liveOneMoment, everyMs, world, chance).unref();
  return () => clearInterval(timer);
}

// Someone opens another page, or someone comes or goes.
function liveOneMoment(world: World, chance: () => number): void {
  const visitors = world.visitors.latest();
  if (chance() < 0.7) {
    const visitor = pick(
      visitors.filter((one) => one.isOnline && !one.stays && !one.hasPage && !one.isReal),
      chance,
    );
    const path = pick(shopPaths, chance);
    if (visitor && path) world.visitors.visit(visitor.fields.short_id, `${shop}${path}`);
    return;
  }
  const free = visitors.filter(
    (one) => !one.stays && !one.isReal && !one.hasPage && !isInSession(world, one.fields.short_id),
  );
  const visitor = pick(free, chance);
  if (visitor) setOnline(world, visitor.fields.short_id, !visitor.isOnline);
}

function pick<Item>(items: readonly Item[], chance: () => number): Item | undefined {
  return items[Math.floor(chance() * items.length)];
}
