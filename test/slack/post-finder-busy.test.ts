import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { deliveryMetadata } from '../../src/slack/posts.ts';
import { startLocalService } from '../cobrowse/local-service.ts';
import { inSupport, postingAt } from './posting-stage.ts';

const NOW_S = 2_000_000_000;
const PAGE = 100;
/** Of apps that are distributed outside Slack's Marketplace. */
const LIMITED_PAGE = 15;

interface Busy {
  /** How often somebody posts, seconds. */
  readonly everyS: number;
  /** When the app's posts came, seconds ago. */
  readonly postedAgoS: readonly number[];
  /** Whether only one page, a short one, is given until `minutePassed`. */
  readonly isLimited?: true;
}

/** Slack's history of a channel that was busy for the last three hours. */
async function startHistory({ everyS, postedAgoS, isLimited }: Busy) {
  const page = isLimited === true ? LIMITED_PAGE : PAGE;
  let hasRoom = true;
  const said = Array.from({ length: 10_800 / everyS }, (_, index) => NOW_S - index * everyS);
  let pages = 0;
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader('content-type', 'application/json');
    if (request.url === '/api/auth.test') {
      response.end(JSON.stringify({ ok: true, team_id: 'T0ACME00000', bot_id: 'B0COBROWSE' }));
      return;
    }
    if (!hasRoom) {
      response.writeHead(429, { 'retry-after': '60' }).end();
      return;
    }
    hasRoom = isLimited !== true;
    pages += 1;
    const asked = new URLSearchParams(await text(request));
    const start = Number(asked.get('cursor') ?? 0);
    const messages = said.slice(start, start + page).map((at) => ({
      ts: at.toFixed(6),
      ...(postedAgoS.includes(NOW_S - at)
        ? { bot_id: 'B0COBROWSE', metadata: deliveryMetadata('T1:a') }
        : {}),
    }));
    const cursor = start + page < said.length ? String(start + page) : '';
    response.end(JSON.stringify({ ok: true, messages, response_metadata: { next_cursor: cursor } }));
  }
  const slack = await startLocalService((request, response) => void answer(request, response));
  onTestFinished(() => slack.close());
  return {
    ...postingAt(`${slack.url}/api/`),
    pages: () => pages,
    minutePassed: () => void (hasRoom = true),
  };
}

/** Looks for a post that set out so many seconds ago. */
async function look(agoS: number, busy: Busy) {
  const { find, pages, minutePassed } = await startHistory(busy);
  const lookOnce = () => find(inSupport, 'T1:a', (NOW_S - agoS) * 1_000);
  let seen = await lookOnce();
  for (let minute = 0; minute < 100 && 'outcome' in seen; minute += 1) {
    expect(seen).toEqual({ outcome: 'later', reason: 'ratelimited', afterMs: 60_000 });
    minutePassed();
    seen = await lookOnce();
  }
  if (!('found' in seen)) return seen;
  const { found, isPartial = false } = seen;
  return { foundAgoS: found.map((ts) => NOW_S - Number(ts)), isPartial, pages: pages() };
}

describe('a post in a busy channel', () => {
  it('is found among up to a thousand newer messages', async () => {
    expect(await look(400, { everyS: 1, postedAgoS: [390, 30] })).toEqual({
      foundAgoS: [390, 30],
      isPartial: false,
      pages: 8,
    });
  });

  it('is found page by page, a page a minute, where Slack gives an app no more', async () => {
    const busy = { everyS: 10, postedAgoS: [390], isLimited: true } as const;
    // As far as five minutes before the attempt.
    expect(await look(400, busy)).toEqual({ foundAgoS: [390], isPartial: false, pages: 5 });
  });

  it.each([
    ['is certainly not there if everything back to that time was read', 400, false],
    ['may be there if that was too much', 4_000, true],
  ])('%s', async (_, agoS, isPartial) => {
    expect(await look(agoS, { everyS: 1, postedAgoS: [] })).toMatchObject({ foundAgoS: [], isPartial });
  });
});
