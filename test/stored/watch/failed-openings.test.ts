import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { checkedSandbox } from '../../support/checked-sandbox.ts';
import { onlySqlite, engines, storeFor } from '../../support/engines.ts';
import { readable } from '../../support/person.ts';
import { askedOfDatabases, untilAnswered } from '../../watch/asked-of-database.ts';
import { linksMade, open, sendPress, watchAddress, watchOf } from '../../watch/opening.ts';
import { order } from '../../watch/stage.ts';

describe.each(onlySqlite)('a Watch address at which somebody waits for its owner’s next press', () => {
  const { sandbox, logLines } = checkedSandbox({ pageWaitMs: 300 });
  const address = () => watchAddress(sandbox());

  /** Slack's word of a press of this button. Written down after the acknowledgement: pages hardly wait here. */
  const press = (secondsAgo: number) =>
    untilAnswered('INSERT INTO presses', () => sendPress(sandbox(), order.visitorId, { secondsAgo }));

  const links = () => linksMade(sandbox()).length;

  it('is waited at three times and no more, then leads nowhere, pressed or not', async () => {
    const copied = address();
    for (let time = 0; time < 3; time += 1) expect((await open(copied)).status).toBe(403);
    const worn = await open(copied);
    expect(worn.status).toBe(410);
    const calls = sandbox().slack.calls.length;
    expect((await fetch(copied, { method: 'POST' })).status).toBe(410);
    expect(sandbox().slack.calls.length).toBe(calls);
    expect(await worn.text()).toContain('<h1>This Watch button was opened too often</h1>');
    await press(-1);
    expect((await open(copied)).status).toBe(410);
    expect(links()).toBe(0);
    const warning = logLines.find((line) => line.includes('"outcome":"worn"'));
    expect(warning).toContain('"level":40');
    expect(logLines.filter((line) => line.includes('address-worn'))).toHaveLength(1);
    // The owner's fresh button is not harmed.
    await press(-2);
    expect((await open(address())).status).toBe(302);
  });
});

describe.each(engines)(
  'thirty pages of a stranger’s that wait as the owner presses, in $engine',
  (engine) => {
    const storeUrl = storeFor(engine);
    const { sandbox } = checkedSandbox(() => ({ storeUrl: storeUrl(), pageWaitMs: 3_000 }));
    const links = () => linksMade(sandbox()).length;

    it('get no link: the press leads to a message of the owner’s, with a button that brings it', async () => {
      const { person: alex, offer, address: copied } = await watchOf(sandbox(), 'priya55');
      const asked = askedOfDatabases();
      onTestFinished(() => void vi.restoreAllMocks());
      const looks = () => asked.read().statements.filter((text) => text.includes('FROM presses')).length;
      const strangers = Array.from({ length: 30 }, () => open(copied));
      await expect.poll(looks).toBeGreaterThanOrEqual(30);
      const own: { page?: Promise<Response> } = {};
      const told = await alex.see(async () => void (own.page = alex.watch(offer)));
      expect(readable(told.blocks)).toContain('opened your Watch link for Priya');
      const answers = await Promise.all([...strangers, own.page]);
      expect(answers.map((answer) => answer?.headers.get('location') ?? null).filter(Boolean)).toEqual([]);
      expect(links()).toBe(0);
      const ready = await alex.pressToReplace(told, /^Get my link/);
      expect(alex.button(ready, /^Open the live view of Priya/).url).toMatch(/^http/);
      expect(links()).toBe(1);
    });
  },
);
