import { describe, expect, it } from 'vitest';
import { sendInteraction } from '../slack/send-payload.ts';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { SAM, personIn } from '../support/person.ts';
import { untilAnswered } from './asked-of-database.ts';
import { formIn, linksMade, open, pressBy, pressWatch, sendPress, submit, watchOf } from './opening.ts';

describe('GET /watch/:ticket with a press to go with it', () => {
  const { sandbox } = checkedSandbox({ pageWaitMs: 300, service: { sessionLimit: 100 } });

  it('leads to one link for one press, even when both are sent again', async () => {
    const { address } = await watchOf(sandbox(), 'jane4821');
    const press = pressBy('jane4821', { secondsAgo: -20 });
    const before = linksMade(sandbox()).length;
    // Its acknowledgement comes before it is judged and written down, and the pages hardly wait.
    await untilAnswered('INSERT INTO presses', () => sendInteraction(sandbox(), press));
    const answers = await Promise.all([open(address), open(address)]);
    await sendInteraction(sandbox(), press);
    const again = await open(address);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([302, 403]);
    expect(again.status).toBe(403);
    expect(linksMade(sandbox()).length).toBe(before + 1);
  });

  it('says of a page after another, as of a scanner in a real browser, that something was first, and leads on by Slack', async () => {
    const { person: alex, offer, address } = await watchOf(sandbox(), 'amara7');
    expect((await alex.watch(offer)).status).toBe(302);
    const page = await open(address);
    expect(page.status).toBe(403);
    const words = await page.text();
    expect(words).toContain('<h1>Something opened this link before you did</h1>');
    expect(words).not.toMatch(/amara|https?:|phone/i);
    const offered = await alex.see(() => submit(address));
    expect(alex.button(offered, /^Get my link/).url).toBeUndefined();
  });

  it('leads there by one press where a scanner looked first', async () => {
    const { person: alex, offer, address } = await watchOf(sandbox(), 'priya55');
    const headers = { 'user-agent': 'Mozilla/5.0 (compatible; bingbot/2.0)' };
    const looked = await Promise.all([open(address, { headers }), open(address, { method: 'HEAD' })]);
    expect(looked.map(({ status }) => status)).toEqual([200, 200]);
    expect((await alex.watch(offer)).status).toBe(302);
  });

  it.each([
    ['for another visitor', 'noah', {}],
    ['for another access', 'jane4821', { access: 'view' }],
    ['of somebody else, on a button of their own', 'jane4821', { by: SAM, drawnFor: SAM }],
    ['of somebody else, on this button', 'jane4821', { by: SAM }],
    ['in another channel', 'jane4821', { channel: { id: 'C0RANDOM003' } }],
    ['in no channel', 'jane4821', { channel: undefined }],
  ])('counts no press %s', async (_, visitorId, more) => {
    const { address } = await watchOf(sandbox(), 'jane4821');
    const before = linksMade(sandbox()).length;
    await sendPress(sandbox(), visitorId, more);
    expect((await open(address)).status).toBe(403);
    expect(linksMade(sandbox()).length).toBe(before);
  });
});

describe('a double click on Watch', () => {
  const { sandbox } = checkedSandbox({ service: { sessionLimit: 100 } });

  /** Both presses, and both tabs. */
  async function doubleClick(visitorId: string) {
    const { address } = await watchOf(sandbox(), visitorId);
    const before = linksMade(sandbox()).length;
    const tabs = [open(address), open(address)];
    // Within a second, however long the first one is on its way.
    for (const secondsAgo of [0, -0.6]) await sendPress(sandbox(), visitorId, { secondsAgo });
    const answers = await Promise.all(tabs);
    const made = linksMade(sandbox()).length - before;
    const [first, second] = answers.toSorted((a, b) => b.status - a.status);
    return { address, before, made, first, second };
  }

  it('opens one link, and the other tab offers another, which its own press pays for once', async () => {
    const { address, before, made, first, second } = await doubleClick('jane4821');
    expect([first?.status, second?.status, made]).toEqual([302, 200, 1]);
    const page = (await second?.text()) ?? '';
    expect(page).toContain('<h1>Open it again?</h1>');
    expect(page).toContain('Open another</button>');
    expect(page).not.toMatch(/jane|https?:/i);
    const form = formIn(page, address);
    const send = () => submit(form);
    // A look at it opens nothing.
    expect((await open(form)).status).toBe(405);
    expect([(await send()).status, (await send()).status]).toEqual([303, 410]);
    expect(linksMade(sandbox()).length).toBe(before + 2);
  });

  it('asks in both tabs whether to join somebody else', async () => {
    const sam = personIn(sandbox(), SAM);
    await sam.watch(await sam.type('/cobrowse watch amara7'));
    const { made, first, second } = await doubleClick('amara7');
    expect([first?.status, second?.status, made]).toEqual([200, 200, 0]);
    for (const tab of [first, second]) expect(await tab?.text()).toContain('<h1>Join them?</h1>');
  });
});

describe('a double tap where the link comes in the answer', () => {
  const { sandbox } = checkedSandbox({ socketMode: true, service: { sessionLimit: 100 } });

  it('gives one link, and a later press another', async () => {
    const alex = personIn(sandbox());
    for (const [visitorId, ...later] of [['noah', 0, 0] as const, ['priya55', 2_000] as const]) {
      const offer = await alex.type(`/cobrowse watch ${visitorId}`);
      const taps = await Promise.all(later.map((later_ms) => pressWatch(sandbox(), offer, later_ms)));
      expect(taps).toEqual(later.map(() => ({ ok: true })));
      const ready = await alex.message(({ ts, text }) => ts === offer.ts && text !== offer.text);
      expect(alex.button(ready, /^Open the live view/).url).toMatch(/^http/);
    }
    expect(linksMade(sandbox())).toHaveLength(2);
  });
});

describe('GET /watch/:ticket without a press', () => {
  const { sandbox } = checkedSandbox({ pageWaitMs: 20 });

  it('says that it couldn’t be confirmed, and nothing of whom it would show', async () => {
    const { address } = await watchOf(sandbox(), 'jane4821');
    const page = await open(address);
    expect(page.status).toBe(403);
    const words = await page.text();
    expect(words).toContain('<h1>We couldn’t confirm it was you</h1>');
    expect(words).not.toMatch(/jane|https?:|<script/i);
    expect(linksMade(sandbox())).toEqual([]);
  });
});

describe('a press that may not be', () => {
  const clock = { ahead: 0 };
  const { sandbox, logLines } = checkedSandbox({ now: () => Date.now() + clock.ahead });

  it('is refused in words, and so is the page that waits, where Slack cannot be asked', async () => {
    const { person: alex, offer } = await watchOf(sandbox(), 'jane4821');
    // What Slack said of the command counts no more.
    clock.ahead = 5_000;
    sandbox().slack.fail('users.info', 'internal_error', 5);
    const answer: { page?: Response } = {};
    const words = await alex.see(async () => {
      answer.page = await alex.watch(offer);
    });
    sandbox().slack.fail('users.info', 'internal_error', 0);
    expect(words.text).toContain('The app couldn’t check your permission with Slack');
    expect(answer.page?.status).toBe(503);
    expect(await answer.page?.text()).toContain('<h1>Nothing was opened</h1>');
    expect(linksMade(sandbox())).toEqual([]);
    expect((await alex.watch(offer)).status).toBe(302);
  });

  it('is refused, on record, where the button was drawn for somebody else', async () => {
    const words = await personIn(sandbox(), SAM).see(() => sendPress(sandbox(), 'jane4821', { by: SAM }));
    expect(words.text).toContain('This button was made for someone else.');
    expect(logLines.filter((line) => line.includes('"outcome":"someone-else"'))).toHaveLength(1);
  });
});

describe('a press that comes late', () => {
  const { sandbox, logLines } = checkedSandbox({ pageWaitMs: 300 });

  it('opens no page where Slack’s word was held back; both say so, and it is on record', async () => {
    const { person: alex, address } = await watchOf(sandbox(), 'jane4821');
    const words = await alex.see(() => sendPress(sandbox(), 'jane4821', { secondsAgo: 120 }));
    const page = await open(address);
    expect(page.status).toBe(403);
    for (const said of [words.text, await page.text()]) expect(said).toContain('Slack took over a minute');
    expect(linksMade(sandbox())).toEqual([]);
    const record = logLines.find((line) => line.includes('"outcome":"late"'));
    expect(record).toContain('"action":"refusal"');
  });
});
