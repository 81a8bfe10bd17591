import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { deliveryMetadata } from '../../src/slack/posts.ts';
import { answerJson, startLocalService } from '../cobrowse/local-service.ts';
import { inSupport, postingAt } from './posting-stage.ts';

const NOW_S = 2_000_000_000;
const PAGE = 100;
/** Of apps that are distributed outside Slack's Marketplace. */
const LIMITED_PAGE = 15;

/**
 * Slack's history of a channel that was busy for the last three hours.
 *
 * @param everyS how often somebody posts, seconds
 * @param postedAgoS when the app's posts came, seconds ago
 * @param isLimited whether only one page, a short one, is given until `minutePassed`
 */
async function startHistory(everyS: number, postedAgoS: readonly number[], isLimited: boolean) {
  const page = isLimited ? LIMITED_PAGE : PAGE;
  const said = Array.from({ length: 10_800 / everyS }, (_, index) => NOW_S - index * everyS);
  let [hasRoom, pages] = [true, 0];
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url === '/api/auth.test')
      return answerJson(response, { ok: true, team_id: 'T0ACME00000', bot_id: 'B0COBROWSE' });
    if (!hasRoom) return void response.writeHead(429, { 'retry-after': '60' }).end();
    hasRoom = !isLimited;
    pages += 1;
    const start = Number(new URLSearchParams(await text(request)).get('cursor') ?? 0);
    const ours = { bot_id: 'B0COBROWSE', metadata: deliveryMetadata('T1:a') };
    const messages = said
      .slice(start, start + page)
      .map((at) => ({ ts: at.toFixed(6), ...(postedAgoS.includes(NOW_S - at) ? ours : {}) }));
    const next_cursor = start + page < said.length ? String(start + page) : '';
    answerJson(response, { ok: true, messages, response_metadata: { next_cursor } });
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
async function look(agoS: number, everyS: number, postedAgoS: readonly number[], isLimited = false) {
  const { find, pages, minutePassed } = await startHistory(everyS, postedAgoS, isLimited);
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
    const found = { foundAgoS: [390, 30], isPartial: false, pages: 8 };
    expect(await look(400, 1, [390, 30])).toEqual(found);
  });

  it('is found page by page, a page a minute, where Slack gives an app no more', async () => {
    // As far as five minutes before the attempt.
    expect(await look(400, 10, [390], true)).toEqual({ foundAgoS: [390], isPartial: false, pages: 5 });
  });

  it.each([
    ['is certainly not there if everything back to that time was read', 400, false],
    ['may be there if that was too much', 4_000, true],
  ])('%s', async (_, agoS, isPartial) => {
    expect(await look(agoS, 1, [])).toMatchObject({ foundAgoS: [], isPartial });
  });
});
