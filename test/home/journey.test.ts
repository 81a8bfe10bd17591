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

  it('shows a guest no customer, and says whom to ask', async () => {
    const before = sandbox().service.requests.length;
    const text = readable(await atHome(sandbox(), 'U0GUEST0004').open());
    expect(text).toContain('You’re a guest in this workspace.');
    expect(text).toContain('Ask a workspace admin');
    expect(text).not.toContain('Jane');
    expect(sandbox().service.requests.slice(before)).toEqual([]);
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

it('draws nothing where the Messages tab is opened, or nobody knows by whom', async () => {
  const local = await startSandbox({ paceMs: 0, pageWaitMs: PATIENT_MS });
  for (const opened of [{ user: ALEX, tab: 'messages' }, { tab: 'home' }]) {
    const event = { type: 'app_home_opened', channel: 'D0ALEX00001', ...opened };
    const body = { type: 'event_callback', team_id: 'T0ACME00000', event_id: `Ev${opened.tab}`, event };
    const answer = await signedSender(local)(JSON.stringify(body), { 'content-type': JSON_TYPE });
    expect(answer.status).toBe(200);
  }
  // Waits for what is still under way.
  await local.close();
  expect(local.slack.calls.filter(({ method }) => method === 'views.publish')).toEqual([]);
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
