import type { Line } from './rich-text.ts';

/** Said where personal details are left out, so that nobody takes them for not known. */
export function cutWords(isCut: boolean): readonly Line[] {
  return isCut ? [['Shared channel: personal details are left out.']] : [];
}
