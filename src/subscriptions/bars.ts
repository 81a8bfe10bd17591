import { COLOR, ZOOM, shownNumber } from './colors.ts';

/** In points. */
const HEIGHT = 190;
const MARGIN = 24;
const BAR = { width: 44, gap: 14, tallest: 84, base: 150, shortest: 2 } as const;

/** What a bar shows. The label is ours. */
export interface Bar {
  readonly label: string;
  readonly sessions: number;
}

/** A chart of sessions over time as SVG, whose texts are ours and numbers: nothing in it comes from outside. */
export function barsSvg(title: string, bars: readonly Bar[]): string {
  const width = MARGIN * 2 + bars.length * (BAR.width + BAR.gap) - BAR.gap;
  const largest = Math.max(1, ...bars.map(({ sessions }) => sessions));
  const drawn = bars.map(({ label, sessions }, index) => {
    const x = MARGIN + index * (BAR.width + BAR.gap);
    const middle = x + BAR.width / 2;
    const height =
      sessions === 0
        ? BAR.shortest
        : BAR.shortest + 2 + (sessions / largest) * (BAR.tallest - BAR.shortest - 2);
    const top = BAR.base - height;
    return [
      `<rect x="${x}" y="${top}" width="${BAR.width}" height="${height}" rx="2" fill="${sessions === 0 ? COLOR.none : COLOR.some}"/>`,
      `<text x="${middle}" y="${top - 7}" font-size="15" fill="${COLOR.ink}">${shownNumber(sessions)}</text>`,
      `<text x="${middle}" y="${BAR.base + 20}" font-size="12" fill="${COLOR.soft}">${label}</text>`,
    ].join('');
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width * ZOOM}" height="${HEIGHT * ZOOM}" viewBox="0 0 ${width} ${HEIGHT}">`,
    `<rect width="${width}" height="${HEIGHT}" rx="10" fill="${COLOR.ground}"/>`,
    `<text x="${MARGIN}" y="34" font-family="Inter" font-weight="600" font-size="16" fill="${COLOR.ink}">${title}</text>`,
    `<g font-family="Inter" font-weight="600" text-anchor="middle">`,
    ...drawn,
    '</g></svg>',
  ].join('');
}
