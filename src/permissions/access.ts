import { z } from 'zod';
import type { WatchPermissions } from '../cobrowse/client.ts';

/** What a watch link lets its agent do, from least to most: only look, also point and scroll, everything. */
export const ACCESS_LEVELS = ['view', 'point', 'full'] as const;
export const Access = z.enum(ACCESS_LEVELS);
export type Access = z.infer<typeof Access>;

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
 * The flags of an access level. What's allowed is left out instead of set, so that the visitor's page can still switch
 * it off. Source: wire-names, Watch link body, `permissions`.
 */
export function permissionsOf(access: Access): WatchPermissions | undefined {
  switch (access) {
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

export function lesser(one: Access, other: Access): Access {
  return ACCESS_LEVELS.indexOf(one) < ACCESS_LEVELS.indexOf(other) ? one : other;
}

/** All levels up to a maximum, from least to most. */
export function accessLevelsUpTo(bound: Access): readonly Access[] {
  return ACCESS_LEVELS.slice(0, ACCESS_LEVELS.indexOf(bound) + 1);
}
