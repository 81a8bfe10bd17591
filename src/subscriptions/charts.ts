import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Reply, Route } from '../http/server.ts';
import type { StartedDay } from '../sessions/started-days.ts';
import type { TicketKind } from '../tickets.ts';
import { barsSvg } from './bars.ts';
import { DigestChart, digestChart, digestChartInWords } from './digest-chart.ts';
import type { Digest } from './digest-numbers.ts';
import { drawPng } from './draw.ts';
import { STARTED_TITLE, StartedChart, startedChart, startedChartInWords } from './started-chart.ts';

/** A Home tab may stay open for a day, and the numbers in the ticket don't change. */
const HOME_TICKET_MS = 24 * 60 * 60 * 1_000;
/** A message stays, and people scroll back. */
const MESSAGE_TICKET_MS = 365 * 24 * 60 * 60 * 1_000;
const CACHED_SECONDS = 600;
/** Everyone in a workspace sees the same numbers, so one drawing serves them all. */
const MOST_PICTURES = 50;

/** The numbers of a picture, as its address holds them. */
export const Chart = z.union([DigestChart, StartedChart]);
export type Chart = z.infer<typeof Chart>;

/** A picture for an image block. */
export interface Picture {
  readonly url: string;
  readonly altText: string;
}

interface ChartsParts {
  readonly tickets: TicketKind<Chart>;
  /** Our address, without a trailing slash; without one there are no pictures. */
  readonly publicUrl: string | undefined;
}

/** Small pictures of numbers. The numbers are inside the sealed address: nothing is stored. */
export interface Charts {
  /** Undefined if there is nothing to show, or no address to serve the picture from. */
  pictureOfStarted(days: readonly StartedDay[]): Picture | undefined;
  /** The same for a digest. */
  pictureOfDigest(digest: Digest): Picture | undefined;
  /** `GET /charts/:ticket`, for Slack's image proxy. */
  readonly route: Route;
}

const nothing: Reply = {
  status: 404,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
  body: 'There is no picture here, or no longer.\n',
};

const svgOf = (chart: Chart) =>
  'bars' in chart ? barsSvg('Sessions', chart.bars) : barsSvg(STARTED_TITLE, chart.days);

export function createCharts({ tickets, publicUrl }: ChartsParts): Charts {
  const pictures = new LRUCache<string, Uint8Array>({ max: MOST_PICTURES, fetchMethod: drawPng });

  return {
    pictureOfStarted(days) {
      const chart = startedChart(days);
      if (chart === undefined || publicUrl === undefined) return undefined;
      return {
        url: `${publicUrl}/charts/${tickets.issue(chart, HOME_TICKET_MS)}`,
        altText: startedChartInWords(days),
      };
    },
    pictureOfDigest(digest) {
      const chart = digestChart(digest);
      if (chart === undefined || publicUrl === undefined) return undefined;
      return {
        url: `${publicUrl}/charts/${tickets.issue(chart, MESSAGE_TICKET_MS)}`,
        altText: digestChartInWords(chart, digest),
      };
    },
    route: {
      method: 'GET',
      path: '/charts/:ticket',
      async handle({ parameter: ticket }) {
        const reading = tickets.read(ticket);
        if (reading.state !== 'good') return nothing;
        const body = await pictures.forceFetch(svgOf(reading.content));
        const headers = { 'content-type': 'image/png', 'cache-control': `public, max-age=${CACHED_SECONDS}` };
        return { status: 200, headers, body };
      },
    },
  };
}
