/** A ground of its own, so that a picture reads the same on Slack's light and dark. */
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

/** A number short enough to stand over a bar. */
export const shownNumber = (number: number): string => compact.format(Math.min(number, LARGEST));

/** Pixels a point, for sharp screens. */
export const ZOOM = 2;
