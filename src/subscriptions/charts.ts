import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { DatabaseError } from '../database/errors.ts';
import type { Reply, Route } from '../http/server.ts';
import { count } from '../messages/text.ts';
import type { StartedDay } from '../sessions/watch-links.ts';
import type { TicketKind } from '../http/tickets.ts';
import { barsSvg, drawPng } from './bars.ts';
import type { Digest } from './digest-numbers.ts';

/** A Home tab may stay open for a day, and the numbers in the ticket don't change. */
const HOME_TICKET_MS = 24 * 60 * 60 * 1_000;
/** A message stays, and people scroll back. */
const MESSAGE_TICKET_MS = 365 * 24 * 60 * 60 * 1_000;
const CACHED_SECONDS = 600;
/** Everyone in a workspace sees the same numbers, so one drawing serves them all. */
const MOST_PICTURES = 50;

/** So many bars at most, with labels of ours. */
const bars = (label: RegExp, most: number) =>
  z
    .array(z.object({ label: z.string().regex(label), sessions: z.int().nonnegative() }))
    .min(1)
    .max(most);

/** Whose numbers they are. Pictures from before an update don't say so: a message keeps them for a year. */
const Owner = z.object({ workspaceId: z.string().optional(), installId: z.string().optional() });

/** Of a digest: sessions over its time. The labels are times, or days. */
const DigestChart = Owner.extend({ bars: bars(/^[\w:]{1,6}$/, 10) });
/** In the Home tab: sessions started from Slack, one bar per day. */
const StartedChart = Owner.extend({ days: bars(/^\w{1,6}$/, 14) });

/** The numbers of a picture, as its address holds them. */
export const Chart = z.union([DigestChart, StartedChart]);
export type Chart = z.infer<typeof Chart>;

/** A picture for an image block, with all of it in words for people who can't see it. */
export interface Picture {
  readonly url: string;
  readonly altText: string;
}

export type Charts = ReturnType<typeof createCharts>;

const noPicture = (status: number, words: string): Reply => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
  body: `${words}\n`,
});
const unknownPicture = noPicture(404, 'There is no picture here, or no longer.');
const removed = noPicture(410, 'This picture’s workspace no longer has the app.');
const unchecked = noPicture(503, 'The app can’t read its database right now. Try again in a minute.');

const svgOf = (chart: Chart) =>
  'bars' in chart ? barsSvg('Sessions', chart.bars) : barsSvg('Sessions started from Slack', chart.days);

/**
 * Small pictures of numbers. The numbers are inside the sealed address: nothing is stored.
 *
 * @param publicUrl our address, without a trailing slash; without one there are no pictures
 */
export function createCharts({
  tickets,
  publicUrl,
  workspaceOf,
  isInstalled,
  installUrl,
}: {
  readonly tickets: TicketKind<Chart>;
  readonly publicUrl: string | undefined;
  readonly workspaceOf: (workspaceId: string) => Promise<{ readonly installId?: string | undefined }>;
  /** Rejects with a DatabaseError if that can't be read. */
  readonly isInstalled: (of: {
    readonly workspaceId: string;
    readonly installId?: string;
  }) => Promise<boolean>;
  /** Where workspaces install the app; undefined if there's only the one in the settings. */
  readonly installUrl: string | undefined;
}) {
  const pictures = new LRUCache<string, Uint8Array>({ max: MOST_PICTURES, fetchMethod: drawPng });

  /** Undefined if there is nothing to show, or no address to serve the picture from. */
  async function picture(
    workspaceId: string,
    numbers: readonly { readonly sessions: number }[],
    chart: z.infer<typeof Chart> | undefined,
    lastsMs: number,
    altText: string,
  ): Promise<Picture | undefined> {
    if (chart === undefined || publicUrl === undefined) return undefined;
    if (!numbers.some(({ sessions }) => sessions > 0)) return undefined;
    const { installId } = await workspaceOf(workspaceId);
    const ticket = tickets.issue({ ...chart, workspaceId, installId }, lastsMs);
    return { url: `${publicUrl}/charts/${ticket}`, altText };
  }

  /** One that doesn't say whose it is can only be of the workspace in the settings. */
  const isStill = ({ workspaceId, installId }: Chart) =>
    workspaceId === undefined ? installUrl === undefined : isInstalled({ workspaceId, installId });

  /** `GET /charts/:ticket`, for Slack's image proxy. */
  const route: Route = {
    method: 'GET',
    path: '/charts/:ticket',
    async handle({ parameter: ticket }) {
      const reading = tickets.read(ticket);
      if (reading.state !== 'good') return unknownPicture;
      try {
        if (!(await isStill(reading.content))) return removed;
      } catch (error) {
        if (!(error instanceof DatabaseError)) throw error;
        return unchecked;
      }
      const body = await pictures.forceFetch(svgOf(reading.content));
      const headers = { 'content-type': 'image/png', 'cache-control': `public, max-age=${CACHED_SECONDS}` };
      return { status: 200, headers, body };
    },
  };

  return {
    pictureOfStarted(workspaceId: string, days: readonly StartedDay[]): Promise<Picture | undefined> {
      const words = days.map(({ name, sessions }) => `${name}: ${sessions.toLocaleString('en-US')}`);
      const altText = `Bar chart of sessions started from Slack in the last ${count(days.length, 'day')}. ${words.join('; ')}.`;
      return picture(workspaceId, days, StartedChart.safeParse({ days }).data, HOME_TICKET_MS, altText);
    },
    pictureOfDigest(workspaceId: string, { bars: shown, isWeekly }: Digest): Promise<Picture | undefined> {
      const words = shown.map(({ label, sessions }) => `${isWeekly ? '' : 'from '}${label}: ${sessions}`);
      const altText = `Bar chart of sessions over the ${isWeekly ? 'week' : 'day'}, ${count(shown.length, 'bar')}. ${words.join('; ')}.`;
      return picture(
        workspaceId,
        shown,
        DigestChart.safeParse({ bars: shown }).data,
        MESSAGE_TICKET_MS,
        altText,
      );
    },
    route,
  };
}
