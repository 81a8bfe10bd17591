import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { barsSvg, drawPng, type Bar } from '../../src/subscriptions/bars.ts';
import { Chart, createCharts } from '../../src/subscriptions/charts.ts';
import { createTickets } from '../../src/http/tickets.ts';
import { serve } from '../http/served.ts';
import { decodePng, type DecodedPng } from '../support/png.ts';

const KEY = 'k'.repeat(32);
const HOUR_MS = 3_600_000;
const days = Array.from({ length: 14 }, (_nothing, index) => ({
  name: `Nov ${index + 1}`,
  label: String(index + 1),
  sessions: index,
  notAccepted: 1,
}));

const WORKSPACE = 'T0ACME00000';
const around = {
  workspaceOf: async () => ({}),
  isInstalled: async ({ workspaceId }: { readonly workspaceId: string }) => workspaceId === WORKSPACE,
  installUrl: undefined,
};

/** Served on loopback, with a clock that the test can move. */
async function served() {
  let now = Date.now();
  const kind = createTickets([KEY], () => now);
  const charts = createCharts({ ...around, tickets: kind('chart', Chart), publicUrl: 'https://app.example' });
  const { url, failures } = await serve([charts.route]);
  return {
    failures,
    kind,
    charts,
    pass: (ms: number) => void (now += ms),
    ticket: async () => {
      const picture = await charts.pictureOfStarted(WORKSPACE, days);
      return picture?.url.replace('https://app.example/charts/', '') ?? '';
    },
    get: (ticket: string, options: RequestInit = {}) => fetch(`${url}/charts/${ticket}`, options),
  };
}

describe('GET /charts/:ticket', () => {
  it('gives the picture to Slack’s image proxy, for some minutes of its cache', async () => {
    const { get, ticket, failures } = await served();
    const answer = await get(await ticket(), { headers: { 'user-agent': 'Slack-ImgProxy' } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('image/png');
    expect(answer.headers.get('cache-control')).toBe('public, max-age=600');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    const bytes = await answer.bytes();
    expect(answer.headers.get('content-length')).toBe(String(bytes.length));
    expect(decodePng(bytes).width).toBe(1_692);
    expect(failures).toEqual([]);
  });

  it('gives each numbers their own picture', async () => {
    const { get, kind } = await served();
    const issue = (today: number) =>
      kind('chart', Chart).issue({ days: [{ label: '1', sessions: today }] }, HOUR_MS);
    const [one, other] = await Promise.all([(await get(issue(1))).bytes(), (await get(issue(2))).bytes()]);
    expect(Buffer.from(one).equals(other)).toBe(false);
  });

  it('is there in the one workspace of the settings, although it doesn’t say whose it is', async () => {
    const { get, kind } = await served();
    const fromBefore = kind('chart', Chart).issue({ bars: [{ label: '08:00', sessions: 1 }] }, HOUR_MS);
    expect((await get(fromBefore)).status).toBe(200);
  });

  it('is good for a day, and then is not there', async () => {
    const { get, ticket, pass } = await served();
    const one = await ticket();
    pass(23 * HOUR_MS);
    expect((await get(one)).status).toBe(200);
    pass(HOUR_MS);
    const late = await get(one);
    expect(late.status).toBe(404);
    expect(late.headers.get('cache-control')).toBe('no-store');
  });

  it('is not there for a ticket that is not ours, altered, or of another route', async () => {
    const { get, ticket, kind, failures } = await served();
    const chart = { days: [{ label: '1', sessions: 1 }] };
    const good = await ticket();
    const others = [
      'x',
      '%',
      'a'.repeat(3_000),
      good.replace(/^./, (first) => (first === 'A' ? 'B' : 'A')),
      `${good}A`,
      createTickets(['o'.repeat(32)], Date.now)('chart', Chart).issue(chart, HOUR_MS),
      kind('watch', Chart).issue(chart, HOUR_MS),
      kind('chart', z.unknown()).issue({ days: [{ label: '1', sessions: 'many' }] }, HOUR_MS),
    ];
    const answers = await Promise.all(others.map((one) => get(one)));
    expect(answers.map(({ status }) => status)).toEqual(others.map(() => 404));
    expect(failures).toEqual([]);
  });
});

describe('the picture for an image block', () => {
  it('has an address that tells nothing, and the numbers in words', async () => {
    const picture = await (await served()).charts.pictureOfStarted(WORKSPACE, days);
    expect(picture?.url).toMatch(/^https:\/\/app\.example\/charts\/[\w-]{40,900}$/);
    expect(picture?.altText).toContain(
      'Bar chart of sessions started from Slack in the last 14 days. Nov 1: 0; Nov 2: 1;',
    );
  });

  it('is not to be had without a public address, or without numbers', async () => {
    const tickets = createTickets([KEY], Date.now)('chart', Chart);
    const withoutAddress = createCharts({ ...around, tickets, publicUrl: undefined });
    expect(await withoutAddress.pictureOfStarted(WORKSPACE, days)).toBeUndefined();
    const charts = createCharts({ ...around, tickets, publicUrl: 'https://app.example' });
    const none = days.map((day) => ({ ...day, sessions: 0 }));
    expect(await charts.pictureOfStarted(WORKSPACE, none)).toBeUndefined();
  });
});

const SOME = '#6fe0ad';
const GROUND = '#163a2c';
/** Pixels: from one bar to the next, and before the first. */
const [STEP, MARGIN] = [116, 48];

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
