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
/** Made when a chart is first drawn: its rules take 25 ms to load, a twentieth of the app's start. */
let compact: Intl.NumberFormat | undefined;

/** A number short enough to fit above a bar. */
export function shownNumber(number: number): string {
  compact ??= new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });
  return compact.format(Math.min(number, LARGEST));
}

/** Pixels per point, for high-resolution screens. */
export const ZOOM = 2;
