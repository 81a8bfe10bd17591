import { COLOR, ZOOM, shownNumber } from './colors.ts';
import { groupsOf } from './usage-chart.ts';
import type { Group, UsageChart } from './usage-chart.ts';

/** Of one group of bars, in points. */
const GROUP_WIDTH = 240;
const HEIGHT = 190;

const BAR = { width: 84, tallest: 76, base: 150, shortest: 2 } as const;
const MARGIN = 24;
const GAP = 24;

/** Of a bar, in points; what is not nothing is taller than what is. */
function heightOf(value: number, largest: number): number {
  if (value === 0) return BAR.shortest;
  return BAR.shortest + 2 + (value / largest) * (BAR.tallest - BAR.shortest - 2);
}

interface Bar {
  readonly value: number;
  readonly largest: number;
  readonly label: string;
  readonly color: string;
}

function barSvg({ value, largest, label, color }: Bar, x: number): string {
  const height = heightOf(value, largest);
  const top = BAR.base - height;
  const middle = x + BAR.width / 2;
  return [
    `<rect x="${x}" y="${top}" width="${BAR.width}" height="${height}" rx="2" fill="${color}"/>`,
    `<text x="${middle}" y="${top - 7}" font-size="15" fill="${COLOR.ink}">${shownNumber(value)}</text>`,
    `<text x="${middle}" y="${BAR.base + 20}" font-size="12" fill="${COLOR.soft}">${label}</text>`,
  ].join('');
}

function groupSvg({ title, pair: { today, usual } }: Group, left: number): string {
  const x = left + MARGIN;
  const largest = Math.max(today, usual);
  return [
    `<text x="${x}" y="34" font-size="16" fill="${COLOR.ink}" text-anchor="start">${title}</text>`,
    barSvg({ value: today, largest, label: 'last 24 hours', color: COLOR.today }, x),
    barSvg({ value: usual, largest, label: 'average day', color: COLOR.usual }, x + BAR.width + GAP),
  ].join('');
}

/** The chart as SVG, whose texts are ours and numbers: nothing in it comes from outside. */
export function barsSvg(chart: UsageChart): string {
  const groups = groupsOf(chart);
  const width = GROUP_WIDTH * groups.length;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width * ZOOM}" height="${HEIGHT * ZOOM}" viewBox="0 0 ${width} ${HEIGHT}">`,
    `<rect width="${width}" height="${HEIGHT}" rx="10" fill="${COLOR.ground}"/>`,
    `<g font-family="Inter" font-weight="600" text-anchor="middle">`,
    ...groups.map((group, index) => groupSvg(group, index * GROUP_WIDTH)),
    '</g></svg>',
  ].join('');
}
