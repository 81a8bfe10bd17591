import { describe, expect, it } from 'vitest';
import { barsSvg } from '../../src/charts/bars.ts';
import { drawPng } from '../../src/charts/draw.ts';
import type { UsageChart } from '../../src/charts/usage-chart.ts';
import { decodePng } from '../support/png.ts';
import type { DecodedPng } from '../support/png.ts';

const TODAY = '#6fe0ad';
const USUAL = '#86a396';
const GROUND = '#163a2c';
/** Pixels: a group of two bars is that wide. */
const GROUP = 480;

const draw = async (chart: UsageChart) => decodePng(await drawPng(barsSvg(chart)));

/** How tall a bar is, in pixels: the longest run of its color in any column of its group. */
function tallest(picture: DecodedPng, color: string, group = 0): number {
  const columns = Array.from({ length: GROUP }, (_nothing, x) => group * GROUP + x);
  return Math.max(
    ...columns.map(
      (x) =>
        Array.from({ length: picture.height }, (_nothing, y) => picture.colorAt(x, y)).filter(
          (one) => one === color,
        ).length,
    ),
  );
}

describe('the picture of usage', () => {
  it('is a PNG of the right size, with a group of bars for each kind', async () => {
    const both = await draw({ sessions: { today: 4, usual: 2 }, minutes: { today: 10, usual: 90 } });
    expect([both.width, both.height]).toEqual([960, 380]);
    const one = await draw({ minutes: { today: 10, usual: 90 } });
    expect([one.width, one.height]).toEqual([480, 380]);
  });

  it('shows each value as the height of its bar, each kind by its own measure', async () => {
    const picture = await draw({ sessions: { today: 4, usual: 2 }, minutes: { today: 10, usual: 100 } });
    const [today, usual] = [tallest(picture, TODAY), tallest(picture, USUAL)];
    expect(today).toBeGreaterThan(140);
    expect(usual / today).toBeCloseTo(0.5, 1);
    const [minutesToday, minutesUsual] = [tallest(picture, TODAY, 1), tallest(picture, USUAL, 1)];
    expect(minutesUsual).toBe(today);
    expect(minutesToday / minutesUsual).toBeCloseTo(0.12, 1);
  });

  it('tells nothing from next to nothing', async () => {
    const nothing = tallest(await draw({ sessions: { today: 0, usual: 500 } }), TODAY);
    const little = tallest(await draw({ sessions: { today: 1, usual: 500 } }), TODAY);
    expect(nothing).toBeGreaterThan(0);
    expect(little).toBeGreaterThan(nothing);
  });

  it('draws an account without any session', async () => {
    const picture = await draw({ sessions: { today: 0, usual: 0 }, minutes: { today: 0, usual: 0 } });
    expect(tallest(picture, TODAY)).toBe(tallest(picture, USUAL));
  });

  it('has a ground of its own, whatever it lies on, and writing on it', async () => {
    const picture = await draw({ sessions: { today: 4, usual: 2 } });
    const { width, height } = picture;
    const colorAt = (x: number, y: number) => picture.colorAt(x, y);
    expect([colorAt(width / 2, 4), colorAt(4, height / 2)]).toEqual([GROUND, GROUND]);
    // The corners are round: what lies below shows there.
    expect(colorAt(0, 0)).toBeUndefined();
    const title = Array.from({ length: 40 * 100 }, (_nothing, index) =>
      colorAt(48 + (index % 100), 36 + Math.floor(index / 100)),
    );
    expect(title.filter((color) => color === '#ffffff').length).toBeGreaterThan(50);
  });

  it('writes the numbers themselves, short where they are long', () => {
    const svg = barsSvg({ sessions: { today: 1_281, usual: 22.4 }, minutes: { today: 1e308, usual: 0 } });
    expect(Array.from(svg.matchAll(/>([^<>]+)<\/text>/g), (match) => match[1])).toEqual([
      'Sessions',
      '1.3K',
      'last 24 hours',
      '22.4',
      'average day',
      'Minutes in sessions',
      '999T',
      'last 24 hours',
      '0',
      'average day',
    ]);
  });
});
