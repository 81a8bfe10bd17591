import type { Access } from '../permissions/access.ts';

/** What an access level lets an agent do, as a menu and a summary say it. */
export function accessWords(access: Access): string {
  switch (access) {
    case 'view':
      return 'view only';
    case 'point':
      return 'point and scroll';
    case 'full':
      return 'full control';
  }
}

/** What it means for the customer. Short: it's also an option's description. */
export function accessMeaning(access: Access): string {
  switch (access) {
    case 'view':
      return 'Agents see the page. Only the customer acts.';
    case 'point':
      return 'Agents also point and scroll. The customer clicks.';
    case 'full':
      return 'Agents also click and type in the customer’s page.';
  }
}

/** The same as a choice by itself: "View only". */
export function accessTitle(access: Access): string {
  const words = accessWords(access);
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}
