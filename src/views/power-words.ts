import type { Power } from '../grants/power.ts';

/** What a power lets an agent do, as a menu and a summary say it. */
export function powerWords(power: Power): string {
  switch (power) {
    case 'view':
      return 'view only';
    case 'point':
      return 'point and scroll';
    case 'full':
      return 'full control';
  }
}
