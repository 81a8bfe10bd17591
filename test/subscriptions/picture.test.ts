import { describe, expect, it } from 'vitest';
import { barsSvg } from '../../src/subscriptions/bars.ts';
import { drawPng } from '../../src/subscriptions/bars.ts';
import type { Bar } from '../../src/subscriptions/bars.ts';
import { decodePng } from '../support/png.ts';
import type { DecodedPng } from '../support/png.ts';

const SOME = '#6fe0ad';
const GROUND = '#163a2c';
/** Pixels: from one bar to the next, and before the first. */
const STEP = 116;
const MARGIN = 48;

const bars = (...sessions: readonly number[]): readonly Bar[] =>
  sessions.map((number, index) => ({ label: String(index + 1), sessions: number }));
const draw = async (...sessions: readonly number[]) =>
  decodePng(await drawPng(barsSvg('Sessions', bars(...sessions))));

/** How tall a bar is, in pixels: the longest run of its color in any column of its place. */
function tallest(picture: DecodedPng, color: string, bar: number): number {
  const columns = Array.from({ length: STEP }, (_nothing, x) => MARGIN + bar * STEP + x);
  return Math.max(
    ...columns.map(
      (x) =>
        Array.from({ length: picture.height }, (_nothing, y) => picture.colorAt(x, y)).filter(
          (one) => one === color,
        ).length,
    ),
  );
}

describe('a picture of sessions over time', () => {
  it('is a PNG of the right size, wider with each bar', async () => {
    const fortnight = await draw(...Array.from({ length: 14 }, () => 1));
    expect([fortnight.width, fortnight.height]).toEqual([1_692, 380]);
    expect((await draw(1)).width).toBe(184);
  });

  it('shows each number as the height of its bar', async () => {
    const picture = await draw(4, 2);
    expect(tallest(picture, SOME, 0)).toBeGreaterThan(140);
    expect(tallest(picture, SOME, 1) / tallest(picture, SOME, 0)).toBeCloseTo(0.5, 1);
  });

  it('has a ground of its own, whatever it lies on, and writing on it', async () => {
    const picture = await draw(4, 2, 1, 3);
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
    const svg = barsSvg('Sessions', bars(1_281, 1e308, 0));
    expect(Array.from(svg.matchAll(/>([^<>]+)<\/text>/g), (match) => match[1])).toEqual([
      'Sessions',
      '1.3K',
      '1',
      '999T',
      '2',
      '0',
      '3',
    ]);
  });
});
