import { describe, expect, it, onTestFinished } from 'vitest';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { ALEX, SALES, SAM, SUPPORT, personIn, readable } from '../support/person.ts';
import { PressGrant } from '../../src/grants/grant.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { openDatabase } from '../../src/database/open.ts';
import { createTicketUses } from '../../src/watch/ticket-uses.ts';
import { createTickets } from '../../src/tickets/tickets.ts';
import { createSendRoute } from '../../src/watch/send-route.ts';
import { refusedPage } from '../../src/watch/pages.ts';
import type { Reached } from '../../src/watch/send-offer.ts';
import { posted } from '../support/signed.ts';
import { shows } from '../slack/forms.ts';
import { grant } from './app-between.ts';

const links = ({ service }: Sandbox) =>
  service.requests.filter(({ method, path }) => method === 'POST' && /watch_url|proxy_sessions/.test(path));

/** Opens the address as from a phone whose Slack tells nobody of the press, until the page says so. */
async function openWithoutPress(address: string): Promise<Response> {
  const waiting = await fetch(address);
  expect(waiting.headers.get('refresh')).toBe('0; url=?again');
  return fetch(new URL('?again', address));
}

const askForMessage = (address: string) => fetch(new URL('?again', address), { method: 'POST' });

describe('“Send me the link in Slack”', () => {
  const { sandbox, logLines } = checkedSandbox({
    heldMs: 20,
    service: { sessionLimit: 100, watchLinkLifetimeMs: 1_500 },
  });
  const offered = (address: string, alex = personIn(sandbox())) =>
    alex.see(async () => {
      expect((await askForMessage(address)).status).toBe(200);
    });
  /** From a channel without the app. */
  async function offeredDirectly() {
    const alex = personIn(sandbox(), ALEX, SALES);
    // Without the modals of the test before.
    sandbox().slack.reload({ as: ALEX });
    const seen = new Set(alex.messages().map(({ ts }) => ts));
    const offer = await alex.type('/cobrowse watch priya55');
    await askForMessage(alex.button(offer, /^Watch/).url ?? '');
    const direct = await alex.message(({ ts, text }) => !seen.has(ts) && text.includes('Was it you?'));
    return { alex, direct };
  }

  it('brings it by a press there, to nobody but the one whose button it was', async () => {
    const alex = personIn(sandbox());
    const list = await alex.type('/cobrowse watch jane4821');
    const address = alex.button(list, /^Watch/).url ?? '';
    const page = await (await openWithoutPress(address)).text();
    expect(page).toContain('<form method="post"><button type="submit">Send me the link in Slack</button>');
    const before = links(sandbox()).length;
    const message = await offered(address);
    expect(readable(message.blocks)).toContain('to watch Jane Cooper');
    expect(alex.button(message, /^Bring the link/).url).toBeUndefined();
    expect(JSON.stringify(message)).not.toContain(address.slice(-40));
    expect(links(sandbox()).length).toBe(before);

    const ready = await alex.pressToReplace(message, /^Bring the link/);
    const link = alex.button(ready, /^Open the live view of Jane/).url ?? '';
    expect(links(sandbox()).length).toBe(before + 1);
    const session = await sandbox().service.openWatchLink(link);
    expect(session.visitor_id).toBe('jane4821');
    await sandbox().service.endSession(session.id);
    const again = await alex.message(({ ts, text }) => ts === ready.ts && /has run out/.test(text));
    expect(alex.button(again, /^Bring the link/).url).toBeUndefined();
    for (const other of [SAM]) {
      expect(JSON.stringify(sandbox().slack.snapshot(other))).not.toContain('Bring the link');
    }
    expect(logLines.join('')).not.toContain(address.slice(-40));
  });

  it('works for proxy sessions, too', async () => {
    const alex = personIn(sandbox());
    const offer = await alex.type('/cobrowse proxy https://partner.example/start');
    const message = await offered(alex.button(offer, /^Start/).url ?? '');
    expect(readable(message.blocks)).toContain('A proxy session that starts at partner.example/start');
    const ready = await alex.pressToReplace(message, /^Bring the link/);
    expect(alex.button(ready, /^Open the proxy session/).url).toMatch(/^http/);
  });

  it('becomes a direct message, without a link, where the app is not in the channel', async () => {
    const { alex, direct } = await offeredDirectly();
    expect(direct.channel).not.toBe(SALES);
    expect(direct.ephemeral).toBe(false);
    await alex.press(direct, /^Bring the link/);
    const ready = await alex.modal(shows('The link is ready.'));
    expect(alex.button(ready, /^Open the live view of Priya/).url).toMatch(/^http/);
    // Where it was asked for is where the session belongs: the summary's notice goes by SALES' rules, not the direct one's.
    const body = JSON.stringify(links(sandbox()).at(-1)?.body);
    expect(body).toContain(`"slack_channel":"${SALES}"`);
  });

  it('goes when the link runs out, and was in no message, where it was asked for in a direct one', async () => {
    const { alex, direct } = await offeredDirectly();
    const shown = () => alex.messages().filter(({ channel }) => channel === direct.channel);
    const before = shown();
    await alex.press(direct, /^Bring the link/);
    const ready = await alex.modal(shows('The link is ready.'));
    const link = alex.button(ready, /^Open the live view/).url ?? 'none';
    const expired = await alex.modal(shows('The link has run out.'));
    expect(expired.id).toBe(ready.id);
    expect(JSON.stringify(expired)).not.toContain(link);
    expect(shown()).toEqual(before);
    const holding = sandbox().slack.calls.filter(({ args }) => JSON.stringify(args ?? null).includes(link));
    expect(holding.map(({ method }) => method)).toEqual(['views.update']);
    // The next one comes in the same place.
    await alex.pressInModal(expired, /^Bring the link/);
    expect((await alex.modal(shows('The link is ready.'))).id).toBe(ready.id);
  });

  it('makes no link where no modal opens for it', async () => {
    const { alex, direct } = await offeredDirectly();
    const before = links(sandbox()).length;
    sandbox().slack.fail('views.open', 'expired_trigger_id');
    const words = await personIn(sandbox(), ALEX, direct.channel).pressFor(direct, /^Bring the link/);
    expect(words.text).toContain('Something went wrong in the app.');
    expect(alex.messages()).toContainEqual(direct);
    expect(links(sandbox()).length).toBe(before);
  });

  it('says what to do where Slack takes neither', async () => {
    const alex = personIn(sandbox());
    const offer = await alex.type('/cobrowse watch amara7');
    const address = alex.button(offer, /^Watch/).url ?? '';
    sandbox().slack.fail('chat.postEphemeral', 'internal_error', 5);
    sandbox().slack.fail('chat.postMessage', 'internal_error', 5);
    const failed = await askForMessage(address);
    expect(failed.status).toBe(502);
    expect(await failed.text()).toContain('<h1>Slack did not take the message</h1>');
    for (const method of ['chat.postEphemeral', 'chat.postMessage'])
      sandbox().slack.fail(method, 'internal_error', 0);
  });

  it('sends nothing for who may not watch any more, or with a ticket that does not do', async () => {
    const alex = personIn(sandbox());
    const address = alex.button(await alex.type('/cobrowse watch jane4821'), /^Watch/).url ?? '';
    const calls = sandbox().slack.calls.length;
    sandbox().slack.changePerson(ALEX, { deactivated: true });
    const refused = await askForMessage(address);
    sandbox().slack.changePerson(ALEX, { deactivated: false });
    expect(refused.status).toBe(403);
    expect((await askForMessage(`${sandbox().publicUrl}/watch/nonsense`)).status).toBe(404);
    const methods = sandbox()
      .slack.calls.slice(calls)
      .map(({ method }) => method);
    expect(methods.filter((method) => method.startsWith('chat.'))).toEqual([]);
  });

  it('is pressed in vain by somebody else', async () => {
    const alex = personIn(sandbox(), ALEX, SUPPORT);
    const address = alex.button(await alex.type('/cobrowse watch jane4821'), /^Watch/).url ?? '';
    const message = await offered(address);
    const before = links(sandbox()).length;
    const button = alex.button(message, /^Bring the link/);
    const outcome = await sandbox().slack.press({
      as: SAM,
      source: { type: 'message', channel: message.channel, ts: message.ts },
      block_id: button.block_id,
      action_id: button.action_id ?? '',
    });
    expect(outcome.ok).toBe(false);
    expect(links(sandbox()).length).toBe(before);
  });
});

describe('“Send me the link in Slack”, asked for again and again', () => {
  it('answers the same, and writes once a minute, until the button has expired', async () => {
    const clock = { time: Date.UTC(2026, 2, 1, 12) };
    const now = () => clock.time;
    const database = await openDatabase('memory:');
    onTestFinished(() => database.close());
    const tickets = createTickets(['a sealing key of these tests that is long'], now)('watch', PressGrant);
    const reached: Reached[] = ['channel', 'nowhere', 'direct', 'direct'];
    let written = 0;
    const route = createSendRoute({
      tickets,
      judge: { watch: async () => undefined },
      uses: createTicketUses(database, now),
      async sendOffer() {
        written += 1;
        return reached.shift() ?? 'nowhere';
      },
      report: () => undefined,
    });
    const ticket = tickets.issue(grant, 10 * 60_000);
    const ask = async () => route.handle({ ...posted({}, Buffer.of()), parameter: ticket });
    const first = await ask();
    expect(await ask()).toEqual(first);
    expect([first.status, written]).toEqual([200, 1]);
    clock.time += 60_001;
    // What came to nothing may be tried again in a minute, too.
    const statuses = [await ask(), await ask()].map(({ status }) => status);
    expect([statuses, written]).toEqual([[502, 502], 2]);
    clock.time += 60_001;
    expect([(await ask()).status, written]).toEqual([200, 3]);
    clock.time += 10 * 60_000;
    expect([(await ask()).status, written]).toEqual([410, 3]);
  });

  it.each(['left-channel', 'unchecked'] as const)(
    'asks Slack once a minute who may, and says so each time: %s',
    async (why) => {
      const database = await openDatabase('memory:');
      onTestFinished(() => database.close());
      const tickets = createTickets(['a sealing key of these tests that is long'])('watch', PressGrant);
      let asked = 0;
      const route = createSendRoute({
        tickets,
        judge: {
          async watch() {
            asked += 1;
            return why;
          },
        },
        uses: createTicketUses(database, Date.now),
        sendOffer: () => Promise.reject(new Error('written all the same')),
        report: () => undefined,
      });
      const request = { ...posted({}, Buffer.of()), parameter: tickets.issue(grant, 60_000) };
      const first = await route.handle(request);
      expect(first).toEqual(refusedPage(why));
      expect([await route.handle(request), await route.handle(request)]).toEqual([first, first]);
      expect(asked).toBe(1);
    },
  );
});
