/** Its own background, so that a picture looks the same in Slack's light and dark themes. */
export const COLOR = {
  ground: '#163a2c',
  ink: '#ffffff',
  soft: '#d3e6dc',
  some: '#6fe0ad',
  none: '#86a396',
} as const;

/** Far beyond any account; a longer number would run into its neighbour. */
const LARGEST = 999e12;
const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });

/** A number short enough to fit above a bar. */
export const shownNumber = (number: number): string => compact.format(Math.min(number, LARGEST));

/** Pixels per point, for high-resolution screens. */
export const ZOOM = 2;
