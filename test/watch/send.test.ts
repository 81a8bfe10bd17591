import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openDatabase } from '../../src/database/open.ts';
import { createTicketUses } from '../../src/watch/unconfirmed-presses.ts';
import { refusedPage } from '../../src/watch/pages.ts';
import { shows } from '../slack/forms.ts';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { ALEX, SALES, SAM, SUPPORT, personIn, readable } from '../support/person.ts';
import { posted } from '../support/signed.ts';
import { aPage } from './stage.ts';
import { untilAnswered } from './asked-of-database.ts';
import { linksMade, sendPress, watchOf } from './opening.ts';

const askForMessage = (address: string) => fetch(address, { method: 'POST' });

describe('“Continue in Slack”', () => {
  const { sandbox, logLines } = checkedSandbox({
    pageWaitMs: 20,
    service: { sessionLimit: 100, watchLinkLifetimeMs: 1_500 },
  });
  // Else the next test would be that of somebody whose phone is known. It's forgotten a moment after the acknowledgement.
  afterEach(async () => {
    await sendPress(sandbox(), 'nobody');
    const hasAddress = async () => (await watchOf(sandbox(), 'priya55')).address !== '';
    await vi.waitUntil(hasAddress, { timeout: 15_000 });
  });
  /** From a channel without the app. */
  async function offeredDirectly(visitorId: string) {
    const alex = personIn(sandbox(), ALEX, SALES);
    // Without the modals of the test before.
    sandbox().slack.reload({ as: ALEX });
    const seen = new Set(alex.messages().map(({ ts }) => ts));
    const offer = await alex.type(`/cobrowse watch ${visitorId}`);
    await askForMessage(alex.button(offer, /^Watch/).url ?? '');
    const direct = await alex.message(({ ts, text }) => !seen.has(ts) && text.includes('If it wasn’t you'));
    return { alex, direct };
  }

  it('brings it by a press there, to nobody but the one whose button it was', async () => {
    const { person: alex, address } = await watchOf(sandbox(), 'jane4821');
    const page = await (await fetch(address)).text();
    expect(page).toContain('<form method="post"><button type="submit">Continue in Slack</button>');
    const before = linksMade(sandbox()).length;
    const message = await alex.see(async () => {
      expect((await askForMessage(address)).status).toBe(200);
    });
    expect(readable(message.blocks)).toContain('your Watch link for Jane Cooper');
    expect(alex.button(message, /^Get my link/).url).toBeUndefined();
    expect(JSON.stringify(message)).not.toContain(address.slice(-40));
    expect(linksMade(sandbox()).length).toBe(before);

    const ready = await alex.pressToReplace(message, /^Get my link/);
    const link = alex.button(ready, /^Open the live view of Jane/).url ?? '';
    expect(linksMade(sandbox()).length).toBe(before + 1);
    const session = await sandbox().service.openWatchLink(link);
    expect(session.visitor_id).toBe('jane4821');
    await sandbox().service.endSession(session.id);
    const again = await alex.message(({ ts, text }) => ts === ready.ts && /link expired/.test(text));
    expect(alex.button(again, /^Get my link/).url).toBeUndefined();
    expect(JSON.stringify(sandbox().slack.snapshot(SAM))).not.toContain('Get my link');
    expect(logLines.join('')).not.toContain(address.slice(-40));
  });

  it('becomes a direct message where the app is not in the channel, whose link is in no message and goes when it runs out', async () => {
    const { alex, direct } = await offeredDirectly('noah');
    expect(direct.channel).not.toBe(SALES);
    expect(direct.ephemeral).toBe(false);
    const shown = () => alex.messages().filter(({ channel }) => channel === direct.channel);
    const before = shown();
    await alex.press(direct, /^Get my link/);
    const ready = await alex.modal(shows('The link is ready.'));
    const link = alex.button(ready, /^Open the live view of Noah/).url ?? 'none';
    // Where it was asked for is where the session belongs: the summary's notice goes by SALES' rules, not the direct one's.
    const body = JSON.stringify(linksMade(sandbox()).at(-1)?.body);
    expect(body).toContain(`"slack_channel":"${SALES}"`);
    const expired = await alex.modal(shows('The link expired.'));
    expect(expired.id).toBe(ready.id);
    expect(JSON.stringify(expired)).not.toContain(link);
    expect(shown()).toEqual(before);
    const holding = sandbox().slack.calls.filter(({ args }) => JSON.stringify(args ?? null).includes(link));
    expect(holding.map(({ method }) => method)).toEqual(['views.update']);
    // The next one comes in the same place, after the question: nobody knows whether the first was used.
    await alex.pressInModal(expired, /^Get my link/);
    const question = await alex.modal(shows('Look for it in your other tabs first.'));
    await alex.pressInModal(question, /^Open another/);
    expect((await alex.modal(shows('The link is ready.'))).id).toBe(ready.id);
  });

  it('makes no link where no modal opens for it', async () => {
    const { alex, direct } = await offeredDirectly('lm3');
    const before = linksMade(sandbox()).length;
    sandbox().slack.fail('views.open', 'expired_trigger_id');
    const words = await personIn(sandbox(), ALEX, direct.channel).pressFor(direct, /^Get my link/);
    expect(words.text).toContain('That took too long to open. Press it again.');
    expect(alex.messages()).toContainEqual(direct);
    expect(linksMade(sandbox()).length).toBe(before);
  });
});

describe('Watch on a phone that doesn’t report presses', () => {
  const { sandbox } = checkedSandbox({ pageWaitMs: 20, service: { sessionLimit: 100 } });

  it('does not begin with a press that Slack only reported late', async () => {
    const { person: alex, address } = await watchOf(sandbox(), 'noah');
    await fetch(address);
    await untilAnswered('INSERT INTO presses', () => sendPress(sandbox(), 'noah'));
    const message = await alex.see(() => askForMessage(address));
    await alex.pressToReplace(message, /^Get my link/);
    expect((await watchOf(sandbox(), 'noah')).address).toMatch(/^http/);
  });

  it('takes four taps the first time: the page itself leads back into Slack', async () => {
    sandbox().slack.changePerson(ALEX, { losesLinkPresses: true });
    const { person: alex, address } = await watchOf(sandbox(), 'jane4821');
    await fetch(address);
    const sent: { page?: Response } = {};
    const message = await alex.see(async () => {
      sent.page = await askForMessage(address);
    });
    const back = `slack://channel?team=T0ACME00000&id=${SUPPORT}`;
    expect(sent.page?.headers.get('refresh')).toBe(`0; url=${back}`);
    const words = (await sent.page?.text()) ?? '';
    expect(words).toContain(`<a href="${back.replace('&', '&#38;')}">Open Slack</a>`);
    expect(words).not.toMatch(/jane|https?:/i);
    const ready = await alex.pressToReplace(message, /^Get my link/);
    expect(alex.button(ready, /^Open the live view of Jane/).url).toMatch(/^http/);
  });

  it('takes two taps from then on, in lists and from the menu, and everybody else’s buttons stay as they are', async () => {
    const alex = personIn(sandbox());
    const list = await alex.type('/cobrowse find priya');
    expect(alex.button(list, /^Watch/).url).toBeUndefined();
    const ready = await alex.pressToReplace(list, /^Watch/);
    expect(alex.button(ready, /^Open the live view of Priya/).url).toMatch(/^http/);
    const proxy = await alex.type('/cobrowse proxy https://partner.example/start');
    const proxyReady = await alex.pressToReplace(proxy, /^Start/);
    expect(alex.button(proxyReady, /^Open the proxy session/).url).toMatch(/^http/);
    const offer = await alex.type('/cobrowse watch amara7');
    expect(JSON.stringify(offer.blocks)).toContain('"action_id":"watch_here_with"');
    expect(JSON.stringify(offer.blocks)).not.toContain('"url"');
    expect((await watchOf(sandbox(), 'amara7', SAM)).address).toMatch(/^http/);
  });
});

/** Where people are asked to continue in Slack, who may watch, over a database of its own; asked by one button's address. */
async function aSending(more: Parameters<typeof aPage>[0] = {}, now = Date.now) {
  const database = await openDatabase('memory:');
  onTestFinished(() => database.close());
  const { routes, ticket } = aPage({ uses: createTicketUses({ database, now }), ...more }, now);
  const send = routes.find(({ method, path }) => `${method} ${path}` === 'POST /watch/:ticket');
  if (send === undefined) throw new Error('There is no such route.');
  return () => send.handle({ ...posted({}, Buffer.of()), parameter: ticket });
}

describe('“Continue in Slack”, asked for again and again', () => {
  it('asks Slack and writes once a minute, until the button has expired', async () => {
    const clock = { time: Date.UTC(2026, 2, 1, 12) };
    const reached = [true, false, true];
    const sendButton = async () => reached.shift() ?? false;
    const ask = await aSending({ sendButton }, () => clock.time);
    const first = await ask();
    expect(first.body).toContain('Check Slack for a private message');
    // Whatever came of the first.
    expect((await ask()).body).toContain('If Co-browse sent you a private message');
    expect([first.status, reached]).toEqual([200, [false, true]]);
    clock.time += 60_001;
    expect([(await ask()).status, (await ask()).status, reached]).toEqual([502, 200, [true]]);
    clock.time += 60_001;
    expect([(await ask()).status, (await ask()).status, reached]).toEqual([200, 200, []]);
    clock.time += 10 * 60_000;
    expect((await ask()).status).toBe(410);
  });

  it.each(['left-channel', 'unchecked'] as const)('sends nothing to who may not watch: %s', async (why) => {
    const ask = await aSending({
      authorize: { watch: async () => ({ refused: why }), record: async () => undefined },
    });
    expect(await ask()).toEqual(refusedPage(why));
  });
});
