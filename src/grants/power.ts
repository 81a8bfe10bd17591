import { z } from 'zod';
import type { WatchPermissions } from '../cobrowse/client.ts';

/** What a watch link lets its agent do, from least to most: only look, also point and scroll, everything. */
export const POWERS = ['view', 'point', 'full'] as const;
export const Power = z.enum(POWERS);
export type Power = z.infer<typeof Power>;

const NOTHING: WatchPermissions = {
  redirect: false,
  audio: false,
  click: false,
  console: false,
  draw: false,
  scroll: false,
  type: false,
};

/**
 * The flags of a power. What is granted is left out rather than set: then the visitor's own page may still have
 * switched it off. Source: wire-names, Watch link body, `permissions`.
 */
export function permissionsOf(power: Power): WatchPermissions | undefined {
  switch (power) {
    case 'view':
      return NOTHING;
    case 'point': {
      const { draw: _draw, scroll: _scroll, ...rest } = NOTHING;
      return rest;
    }
    case 'full':
      return undefined;
  }
}

/** The lesser of two. */
export function lesser(one: Power, other: Power): Power {
  return POWERS.indexOf(one) < POWERS.indexOf(other) ? one : other;
}

/** Those not above a bound, from least to most. */
export function powersUpTo(bound: Power): readonly Power[] {
  return POWERS.slice(0, POWERS.indexOf(bound) + 1);
}
