import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { deliveryMetadata } from '../../src/slack/poster.ts';
import { inSupport, postingAt } from './posting-stage.ts';

const NOW_S = 2_000_000_000;
const PAGE = 100;

interface Busy {
  /** How often somebody posts, seconds. */
  readonly everyS: number;
  /** When the app's posts came, seconds ago. */
  readonly postedAgoS: readonly number[];
}

/** Slack's history of a channel that was busy for the last three hours. */
async function startHistory({ everyS, postedAgoS }: Busy) {
  const said = Array.from({ length: 10_800 / everyS }, (_, index) => NOW_S - index * everyS);
  let pages = 0;
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader('content-type', 'application/json');
    if (request.url === '/api/auth.test') {
      response.end(JSON.stringify({ ok: true, team_id: 'T0ACME00000', bot_id: 'B0COBROWSE' }));
      return;
    }
    pages += 1;
    const asked = new URLSearchParams(await text(request));
    const oldest = Number(asked.get('oldest') ?? 0);
    const latest = Number(asked.get('latest') ?? Infinity);
    const start = Number(asked.get('cursor') ?? 0);
    const inRange = said.filter((at) => at > oldest && at < latest);
    const messages = inRange.slice(start, start + PAGE).map((at) => ({
      ts: at.toFixed(6),
      ...(postedAgoS.includes(NOW_S - at)
        ? { bot_id: 'B0COBROWSE', metadata: deliveryMetadata('T1:a') }
        : {}),
    }));
    const cursor = start + PAGE < inRange.length ? String(start + PAGE) : '';
    response.end(JSON.stringify({ ok: true, messages, response_metadata: { next_cursor: cursor } }));
  }
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { ...postingAt(`http://127.0.0.1:${port}/api/`), pages: () => pages };
}

/** Looks for a post that set out so many seconds ago. */
async function look(agoS: number, busy: Busy) {
  const { find, pages } = await startHistory(busy);
  const seen = await find(inSupport, 'T1:a', (NOW_S - agoS) * 1_000);
  if (!('found' in seen)) return seen;
  const { found, isPartial = false } = seen;
  return { foundAgoS: found.map((ts) => NOW_S - Number(ts)), isPartial, pages: pages() };
}

describe('a post in a busy channel', () => {
  it('is found around the time of its attempt, even after a thousand newer messages', async () => {
    expect(await look(4_000, { everyS: 1, postedAgoS: [3_990, 30] })).toEqual({
      foundAgoS: [3_990, 30],
      isPartial: false,
      pages: 17,
    });
  });

  it.each([
    ['is certainly not there if everything around that time was read', 1, false],
    ['may be there if even that was too much', 0.5, true],
  ])('%s', async (_, everyS, isPartial) => {
    expect(await look(4_000, { everyS, postedAgoS: [] })).toMatchObject({ foundAgoS: [], isPartial });
  });
});
