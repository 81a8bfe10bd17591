import { describe, expect, it, onTestFinished } from 'vitest';
import { startSandbox } from '../../sandbox/sandbox.ts';
import { checkedSandbox, expectSound, PATIENT_MS } from '../support/checked-sandbox.ts';
import { ALEX, buttonsIn, personIn, readable } from '../support/person.ts';
import { JSON_TYPE, signedSender } from '../support/signed.ts';
import { atHome } from './at-home.ts';

/** It's noon here, whenever the tests run: what the service seeds for three hours ago was today. */
const toNoonMs = new Date().setUTCHours(12, 0, 0, 0) - Date.now();
const { sandbox } = checkedSandbox({ now: () => Date.now() + toNoonMs });

/** Opens what a Watch button in the Home leads to, as a browser does. */
async function follow(url: string | undefined): Promise<string> {
  const answer = await fetch(url ?? '', { redirect: 'manual' });
  return answer.headers.get('location') ?? '';
}

describe('the Home tab', () => {
  it('shows a skeleton at once and then who is online, who one is, and what one did', async () => {
    const alex = atHome(sandbox(), ALEX);
    const text = readable(await alex.open());
    expect(alex.published()).toHaveLength(2);
    expect(alex.published()[0]).toContain('Loading from the co-browsing service');
    for (const part of [
      'Connected as Alex Rivera (alex@acme.com)',
      'Jane Cooper · 12 minutes · ended ',
      'None in the last 14 days.',
      '3 in the last 30 days',
    ])
      expect(text).toContain(part);
    expect(text).not.toContain('Settings');
  });

  it('leads to a screen by Watch without a modal, and tells what became of the link', async () => {
    const alex = atHome(sandbox(), ALEX);
    const watch = buttonsIn(await alex.open()).find(
      ({ accessibility_label: name }) => name === 'Watch the screen of Jane Cooper',
    );
    const [link] = await Promise.all([follow(watch?.url), alex.press(/^Watch the screen of Jane/)]);
    expect(alex.views()).toEqual([]);
    expect(readable(await alex.refresh())).toContain('Jane Cooper · asked  · no end reported yet');
    const session = await sandbox().service.openWatchLink(link);
    await sandbox().service.endSession(session.id);
    await personIn(sandbox()).message(({ text }) => text.includes('Co-browsing session ended'));
    expect(readable(await alex.refresh())).toMatch(/Jane Cooper · \d+ seconds? · ended /);
  });
});

/** A sandbox of the test's own, which must be sound in the end. */
async function openLocal(options: Parameters<typeof startSandbox>[0] = {}) {
  const local = await startSandbox({ paceMs: 0, pageWaitMs: PATIENT_MS, ...options });
  onTestFinished(async () => {
    await local.close();
    expectSound(local);
  });
  return local;
}

/** The event of an opened Home, as Slack sends it. */
function opened(eventId: string, changes: object = {}): string {
  const event = { type: 'app_home_opened', user: ALEX, channel: 'D0ALEX00001', tab: 'home', ...changes };
  return JSON.stringify({ type: 'event_callback', team_id: 'T0ACME00000', event_id: eventId, event });
}

/** Sends signed events to an app of their own, and gives how often it published by the time it is through. */
async function publishesFor(first: string, ...more: readonly string[]): Promise<number> {
  const local = await startSandbox({ paceMs: 0, pageWaitMs: PATIENT_MS });
  const alex = atHome(local, ALEX);
  const send = async (body: string) =>
    expect((await signedSender(local)(body, { 'content-type': JSON_TYPE })).status).toBe(200);
  await send(first);
  if (more.length > 0) {
    await alex.filled(2);
    // Slack shows the view before the app has heard that it took it: until then another opening only renews it. By the
    // time that a whole command is answered, the app has heard.
    await personIn(local).type('/cobrowse help');
  }
  for (const body of more) await send(body);
  await local.close();
  return alex.published().length;
}

describe('app_home_opened', () => {
  it('that comes once more is one opening', async () => {
    const one = opened('Ev0ONE');
    expect(await publishesFor(one, one, one)).toBe(2);
    expect(await publishesFor(one, opened('Ev0TWO'))).toBe(4);
  });

  it('of the Messages tab, or without a user, draws nothing', async () => {
    const event = { type: 'app_home_opened', tab: 'home' };
    const broken = JSON.stringify({ type: 'event_callback', team_id: 'T1', event_id: 'Ev0', event });
    expect(await publishesFor(opened('Ev0TAB', { tab: 'messages' }))).toBe(0);
    expect(await publishesFor(broken)).toBe(0);
  });
});

it('gives the link of Watch in a modal where there is no public address', async () => {
  const local = await openLocal({ socketMode: true });
  const alex = atHome(local, ALEX);
  const blocks = await alex.open();
  expect(readable(blocks)).toContain('3 in the last 30 days');
  const ready = await alex.pressFor(/^Watch the screen of Jane/, /The link is ready/);
  const [open] = buttonsIn(ready.blocks);
  const session = await local.service.openWatchLink(open?.url ?? '');
  expect(session.visitor_id).toBe('jane4821');
});

it('shows what an on-premise installation has', async () => {
  const local = await openLocal({ deployment: 'on-premise-connected' });
  const text = readable(await atHome(local, ALEX).open());
  expect(text).toContain('Jane Cooper');
  expect(text).toContain('Customers see your Slack name, Alex Rivera.');
  expect(text).not.toContain('Account usage');
});

describe('the Home tab of a guest', () => {
  it('shows no customer, and says whom to ask', async () => {
    const before = sandbox().service.requests.length;
    const text = readable(await atHome(sandbox(), 'U0GUEST0004').open());
    expect(text).toContain('You’re a guest in this workspace.');
    expect(text).toContain('Ask a workspace admin');
    expect(text).not.toContain('Jane');
    expect(sandbox().service.requests.slice(before)).toEqual([]);
  });
});
