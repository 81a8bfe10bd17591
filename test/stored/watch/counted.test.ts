import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { PageMessage } from '../../../sandbox/slack/page-api.ts';
import { checkedSandbox } from '../../support/checked-sandbox.ts';
import { engines, storeFor } from '../../support/engines.ts';
import { personIn } from '../../support/person.ts';
import { askedOfDatabases } from '../../watch/asked-of-database.ts';
import { open, pressWatch, watchOf } from '../../watch/opening.ts';

describe.each(engines)('what a click costs in $engine', (engine) => {
  const storeUrl = storeFor(engine);
  const clock = { ahead: 0 };
  const { sandbox, logLines } = checkedSandbox(() => ({
    storeUrl: storeUrl(),
    schedulerMs: 3_600_000,
    now: () => Date.now() + clock.ahead,
  }));
  /** What Slack said before isn't good any more, and this press is no second one of a double click. */
  const later = () => void (clock.ahead += 6_000);
  const cards = () => logLines.filter((line) => line.includes('"kind":"card"')).length;

  /** The page waits for its press, as it nearly always does: who presses is first asked of Slack. */
  async function clickOn(offer: PageMessage) {
    const asked = askedOfDatabases();
    onTestFinished(() => void vi.restoreAllMocks());
    const page = open(personIn(sandbox()).button(offer, /^Watch/).url ?? '');
    await expect.poll(() => asked.isAnswered('FROM presses')).toBe(true);
    await pressWatch(sandbox(), offer);
    expect((await page).status).toBe(302);
    return asked.read();
  }

  it('is at most thirteen statements, and three commits in PostgreSQL, from the press to the link and what is written with it', async () => {
    const alex = personIn(sandbox());
    // Who is whom is known by then.
    expect((await alex.watch(await alex.type('/cobrowse watch noah'))).status).toBe(302);
    const { offer } = await watchOf(sandbox(), 'jane4821');
    await expect.poll(cards).toBe(1);
    later();
    const { slack, service } = sandbox();
    const [calls, requests] = [slack.calls.length, service.requests.length];
    const { statements, commits } = await clickOn(offer);
    expect(statements.filter((text) => text.startsWith('INSERT INTO watch_links'))).toHaveLength(1);
    expect(statements.slice(13)).toEqual([]);
    expect(commits).toBeLessThanOrEqual(3);
    // Two calls to Slack and one to the service; a new card is two more and one for its name.
    await expect.poll(cards).toBe(2);
    const toSlack = slack.calls.slice(calls).map(({ method }) => method);
    expect(toSlack.filter((method) => method !== 'ack').toSorted()).toEqual([
      'chat.postMessage',
      'conversations.info',
      'conversations.members',
      'users.info',
    ]);
    const toService = service.requests.slice(requests).map(({ method, path }) => `${method} ${path}`);
    expect(toService).toEqual(['POST /v1.3/visitors/jane4821/watch_url', 'GET /v1.3/visitors/jane4821']);
  });
});
