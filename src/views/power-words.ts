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

/** The same as a choice by itself: "View only". */
export function powerTitle(power: Power): string {
  const words = powerWords(power);
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}
