import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../../src/database/open.ts';
import { notesIn } from '../../database/notes.ts';
import { everythingThereIs } from './driven.ts';
import { joinSomebody, linksWithoutPress } from './journeys-without-press.ts';
import {
  PASTED_SECRET,
  failEverywhere,
  channelReasonSecret,
  journeys,
  noteSecret,
  reasonSecret,
} from './journeys.ts';
import { adminJourneys, afterJourneys, lineSecret, subscriptionJourneys } from './other-journeys.ts';
import { findSecrets, placeOf, type Place, type Secret } from './search.ts';
import { lookAfterWebhooks, sendWebhooks } from './webhook-journeys.ts';
import { openWatchedWorld, watchTickets, type WatchedWorld } from './watched-world.ts';
import { appsCatalog } from '../../support/catalog.ts';
import { ALEX, KIM, SAM, buttonsIn, personIn } from '../../support/person.ts';

/** The press of a link's own button: with a public address there is a redirect in its place. */
const ONLY_WITHOUT_ADDRESS = ['press open_link'];
/** Presses that show the link in Slack, for people whose presses Slack didn't report. */
const LINK_IN_SLACK = ['watch_here', 'watch_here_with', 'watch_join', 'proxy_here'].map(
  (id) => `press ${id}`,
);
/** Only with many workspaces: `two-workspaces.test.ts` here and `test/stored/admin/account-journey.test.ts` search what they store, log and post. */
const WITH_MANY = ['home_connect_account', 'home_disconnect_account', 'home_summary_channel'].map(
  (id) => `press ${id}`,
);
/** What Jane's page address reveals about her session at the shop. */
const shopSecret: Secret = { name: 'secret of a visitor’s page', value: 'secret-4242-token' };

const pastedSecret: Secret = { name: 'secret of a pasted address', value: PASTED_SECRET };

async function metricsOf({ publicUrl }: WatchedWorld): Promise<Place> {
  return placeOf('the metrics', await (await fetch(`${publicUrl}/metrics`)).text());
}

/** The calls to Slack that send any of these, never in a message's words: those are read aloud and shown in notifications. */
function callsHolding({ slack }: WatchedWorld, secrets: readonly Secret[]) {
  const holding = slack.calls.filter(({ args }) => findSecrets([placeOf('call', args)], secrets).length > 0);
  for (const { args } of holding) {
    const words = typeof args === 'object' && args !== null && 'text' in args ? String(args.text) : '';
    expect(findSecrets([placeOf('the words', words)], secrets)).toEqual([]);
  }
  return holding;
}

/** What became of a part of what people do. They wait for Slack's pace, so all parts are lived at the same time. */
async function live(lead: (world: WatchedWorld) => Promise<readonly Secret[]>) {
  const world = await openWatchedWorld();
  const app = await world.start();
  const ofWebhooks = await lead(world);
  const whileItRuns = [await metricsOf(world), ...(await world.storeFiles())];
  app.askToStop();
  expect(await app.ended()).toBe(0);
  const audit = await world.audit();
  return { world, app, ofWebhooks, whileItRuns, audit, afterwards: await world.storeFiles() };
}
type Part = Awaited<ReturnType<typeof live>>;

function expectNoSecrets({ world, app, ofWebhooks, whileItRuns, audit, afterwards }: Part): void {
  const ours = [...whileItRuns, world.logOf(app), audit, ...afterwards];
  expect(whileItRuns.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['file store.db', 'file store.db-wal']),
  );
  expect(world.sessionEndTickets()).toHaveLength(world.links().length);

  expect(findSecrets(ours, [{ name: 'note', value: noteSecret }])).toEqual([]);
  const reasons = [
    { name: 'reason', value: reasonSecret },
    { name: 'reason in a channel', value: channelReasonSecret },
  ];
  expect(findSecrets([audit, world.logOf(app)], reasons)).toEqual([]);
  const withoutRows = [...whileItRuns.slice(0, 1), world.logOf(app), audit];
  expect(findSecrets(withoutRows, [{ name: 'line', value: lineSecret }])).toEqual([]);
  expect(findSecrets([...ours, ...world.noted()], ofWebhooks)).toEqual([]);
  const hidden = [...world.links(), ...world.proxyLinks(), ...world.sessionEndTickets(), ...world.settings()];
  const everywhere = [...ours, ...world.noted(), ...world.sentToSlack()];
  expect(findSecrets(everywhere, [...hidden, shopSecret])).toEqual([]);
  // A Watch button holds its ticket, and answers in Slack name the modals that they fill: what was sent to Slack may.
  // The button that leads there holds a pasted address, in Slack.
  const inSlack = [...watchTickets(world.slack), ...world.slackIds(), pastedSecret];
  expect(findSecrets([...ours, ...world.noted()], inSlack)).toEqual([]);
}

/*
 * What is new is searched once a journey in test/promise/ uses it:
 * - A command: its line in test/commands/typed.ts. A button, form or shortcut: the first test fails until a journey uses it.
 * - A table: the files of the database are searched whole, so a journey only has to do what writes to it.
 * - A place that somebody could read, such as a page or an answer: a journey gives its text to `world.note`. A place of
 *   the app's own, such as another file or log, goes into `ours` below.
 */
describe('a watch link', () => {
  it('is in the redirect at the press and nowhere else, nor is any other secret', async () => {
    const parts = await Promise.all([
      live(async (world) => {
        const ofWebhooks = await sendWebhooks(world);
        for (const journey of [...journeys, ...afterJourneys]) await journey(world);
        await lookAfterWebhooks(world);
        return ofWebhooks;
      }),
      ...[[...subscriptionJourneys, failEverywhere], adminJourneys].map((all) =>
        live(async (world) => {
          for (const journey of all) await journey(world);
          return [];
        }),
      ),
    ]);
    for (const part of parts) expectNoSecrets(part);

    const of = <T>(each: (part: Part) => readonly T[]): readonly T[] => parts.flatMap(each);
    expect(of(({ world }) => world.links()).length).toBeGreaterThanOrEqual(9);
    expect(of(({ world }) => world.proxyLinks())).toHaveLength(2);
    expect(of(({ world }) => watchTickets(world.slack)).length).toBeGreaterThan(4);
    // Cards were posted and changed meanwhile, so what was sent to Slack includes them.
    expect(
      of(({ world }) => world.slack.calls.map(({ method }) => method)),
      'Slack was never asked this: a journey in test/promise/ has to lead there',
    ).toEqual(expect.arrayContaining(['chat.postMessage', 'chat.update', 'views.publish', 'upload']));
    expect(
      of(({ audit }) => audit.actions),
      'The audit has none of these: a journey in test/promise/ has to do it',
    ).toEqual(
      expect.arrayContaining([
        'search',
        'link',
        'proxy-link',
        'refusal',
        'stop',
        'outcome',
        'note',
        'follow-up',
        'delete',
        'setting',
        'subscription',
        'webhook',
        'audit',
      ]),
    );
    const driven = new Set(of(({ world }) => [...world.slack.driven]));
    const elsewhere = new Set([...ONLY_WITHOUT_ADDRESS, ...LINK_IN_SLACK, ...WITH_MANY]);
    expect(
      everythingThereIs(await appsCatalog()).filter((name) => !driven.has(name) && !elsewhere.has(name)),
      'No journey in test/promise/ does this: add it to one (a command to test/commands/typed.ts), so that what it stores, logs and posts is searched',
    ).toEqual([]);
  });

  it('is, without a public address, in a button that only the presser sees', async () => {
    const world = await openWatchedWorld({ socketMode: true });
    const app = await world.start();
    const alex = personIn(world);
    const ready = await alex.pressToReplace(await alex.type('/cobrowse watch jane4821'), /^Watch/);
    await alex.press(ready, /^Open the live view/);
    // Where Slack's answer address fails, the link comes as an ephemeral message.
    const offer = await alex.type('/cobrowse watch noah');
    world.slack.fail('response_url', { status: 500 });
    const second = await alex.pressFor(offer, /^Watch/);
    const session = await world.service.openWatchLink(
      world.pageOf(alex.button(second, /^Open the live view/).url ?? ''),
    );
    await world.service.endSession(session.id);
    const proxyOffer = await alex.type('/cobrowse proxy https://partner.example/start');
    const proxy = await alex.pressToReplace(proxyOffer, /^Start/);
    await alex.press(proxy, /^Open the proxy session/);
    expect(ONLY_WITHOUT_ADDRESS.filter((name) => !world.slack.driven.has(name))).toEqual([]);
    const card = await alex.message(({ text }) => text.includes('’s screen · '));
    await alex.type('/cobrowse usage');
    const running = await world.storeFiles();
    app.askToStop();
    expect(await app.ended()).toBe(0);

    const ours = [...running, world.logOf(app), ...(await world.storeFiles())];
    const secrets = [...world.links(), ...world.proxyLinks(), ...world.settings(), shopSecret];
    expect([world.links().length, world.proxyLinks().length]).toEqual([2, 1]);
    expect(card.ephemeral).toBe(false);
    expect(findSecrets(ours, [...secrets, ...world.slackIds()])).toEqual([]);

    // The only place where a link may be: the second step of Watch, for the person who pressed.
    expect(callsHolding(world, secrets)).toMatchObject([
      { method: 'response_url', args: { response_type: 'ephemeral', replace_original: true } },
      {
        method: 'response_url',
        args: { response_type: 'ephemeral', replace_original: true },
        error: 'status 500',
      },
      { method: 'chat.postEphemeral', args: { user: ALEX } },
      { method: 'response_url', args: { response_type: 'ephemeral', replace_original: true } },
    ]);
    const shown = [ready, second, proxy].flatMap(({ blocks }) => buttonsIn(blocks));
    expect(shown.map(({ text }) => text.text)).toEqual([
      'Open the live view',
      'Open the live view',
      'Open the proxy session',
    ]);
    for (const other of [SAM, KIM])
      expect(findSecrets([placeOf('what others see', world.slack.snapshot(other))], secrets)).toEqual([]);
  });

  it('is, if Slack reported no press, in a button that only the rightful user sees', async () => {
    const world = await openWatchedWorld();
    const app = await world.start();
    await linksWithoutPress(world);
    await joinSomebody(world);
    expect(LINK_IN_SLACK.filter((name) => !world.slack.driven.has(name))).toEqual([]);
    app.askToStop();
    expect(await app.ended()).toBe(0);

    const ours = [world.logOf(app), await world.audit(), ...(await world.storeFiles()), ...world.noted()];
    const secrets = [...world.links(), ...world.proxyLinks()];
    expect([world.links().length, world.proxyLinks().length]).toEqual([4, 1]);
    expect(findSecrets(ours, [...secrets, ...world.settings(), ...watchTickets(world.slack)])).toEqual([]);
    expect(callsHolding(world, secrets)).toMatchObject(
      [1, 2, 3, 4].map(() => ({ method: 'response_url', args: { response_type: 'ephemeral' } })),
    );
    // The message that offers it holds the ticket of the button no more than the link.
    const offers = world.slack.calls.filter(({ method }) => method === 'chat.postEphemeral');
    expect(offers).toHaveLength(3);
    expect(findSecrets([placeOf('the offers', offers)], watchTickets(world.slack))).toEqual([]);
  });

  it('would be found in the log, in each file of the store, in a message and on a page', async () => {
    const world = await openWatchedWorld();
    const link: Secret = { name: 'the link', value: 'https://live.example/go?key=kQ3v9xZt7LpW2mNc8RbY' };
    const database = await openDatabase(`sqlite:${world.folder}/store.db`);
    await notesIn(database).set('a', { deep: link.value });
    expect(findSecrets(await world.storeFiles(), [link])).toEqual(['the link in file store.db-wal']);
    await notesIn(database).delete('a');
    await database.close();
    expect(findSecrets(await world.storeFiles(), [link])).toEqual(['the link in file store.db']);

    await fetch(`${world.slack.apiUrl}chat.postMessage`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${world.settings()[0]?.value}` },
      body: JSON.stringify({ channel: 'C0SUPPORT01', text: `Look: ${link.value}` }),
    });
    expect(findSecrets(world.sentToSlack(), [link])).toEqual([
      'the link in call 0 to Slack, chat.postMessage',
    ]);
    world.note('a page', `<a href="${link.value}">`);
    expect(findSecrets(world.noted(), [link])).toEqual(['the link in a page']);
    const app = await world.start();
    expect(findSecrets([world.logOf(app)], [{ name: 'a line', value: '"msg":"listening"' }])).toEqual([
      'a line in the log',
    ]);
  });
});
