import { describe, expect, it, onTestFinished } from 'vitest';
import { startSandbox, type Sandbox } from '../../sandbox/sandbox.ts';
import { atHome } from '../home/at-home.ts';
import { PATIENT_MS, expectSound } from '../support/checked-sandbox.ts';
import { ALEX, SAM, buttonsIn, personIn, readable } from '../support/person.ts';

const FOUND = 'The end was detected automatically (no webhook arrived).';
const QUICK = { firstMs: 300, leastGapMs: 200, mostGapMs: 400, graceMs: 0 };

async function start(options: Parameters<typeof startSandbox>[0] = {}): Promise<Sandbox> {
  const sandbox = await startSandbox({ paceMs: 0, pageWaitMs: PATIENT_MS, reconcile: QUICK, ...options });
  onTestFinished(async () => {
    await sandbox.close();
    expectSound(sandbox);
  });
  return sandbox;
}

const isCard = ({ text }: { readonly text: string }) => text.includes('’s screen · ');
const isSummary = ({ text }: { readonly text: string }) => text.includes('Co-browsing session ended');

/** Watches Jane as a person does: through the button's address, or, without one, through the link in the answer. */
async function watch(sandbox: Sandbox, userId: string = ALEX) {
  const person = personIn(sandbox, userId);
  const offer = await person.type('/cobrowse watch jane4821');
  const { url } = person.button(offer, /^Watch/);
  if (url === undefined) {
    const ready = await person.pressToReplace(offer, /^Watch/);
    return buttonsIn(ready.blocks).find((button) => button.url !== undefined)?.url ?? '';
  }
  const opened = await person.watch(offer);
  return opened.headers.get('location') ?? '';
}

async function end({ service }: Sandbox, link: string) {
  const { id } = await service.openWatchLink(link);
  await service.endSession(id);
}

const lookupsOf = ({ service }: Sandbox) =>
  service.requests.filter(({ path }) => path.includes('/agents/lookup')).map(({ path }) => path);

describe('a session that the service doesn’t report', () => {
  it.each([
    ['with metadata', {}],
    ['without metadata', { withoutMetadata: true }],
    ['by email alone', { findBy: 'email' }],
    ['by external_id alone', { findBy: 'external_id' }],
  ] as const)(
    'is found by a look-up, if the service lists it %s, and becomes the summary',
    async (_how, agents) => {
      const sandbox = await start({ service: { misbehavior: { webhooks: { drop: true }, agents } } });
      const alex = personIn(sandbox);
      await end(sandbox, await watch(sandbox));
      const summary = await alex.message(isSummary);
      expect(summary.text).toContain(FOUND);
      expect(alex.messages().filter(isSummary)).toHaveLength(1);
      expect(alex.messages().filter(isCard)).toEqual([]);
      const metrics = await (await fetch(`${sandbox.publicUrl}/metrics`)).text();
      expect(metrics).toContain('cobrowse_watch_links_total{outcome="recovered"} 1\n');
      expect(readable(await atHome(sandbox, ALEX).open())).toMatch(/My day.*Jane Cooper · .*ended/s);
    },
  );

  it('is found for somebody without an account, by the id that was sent', async () => {
    const sandbox = await start({ service: { misbehavior: { webhooks: { drop: true } } } });
    await end(sandbox, await watch(sandbox, SAM));
    await personIn(sandbox, SAM).message(isSummary);
    expect(lookupsOf(sandbox)).toContain(`/v1.3/agents/lookup?external_id=slack-T0ACME00000-${SAM}`);
  });
});

describe('a link that nobody opened', () => {
  it('is called unused on its card, without a Stop button, and on the Home tab', async () => {
    let later = 0;
    const sandbox = await start({ now: () => Date.now() + later });
    const alex = personIn(sandbox);
    await watch(sandbox);
    await alex.message(isCard);
    later = 20 * 60_000;
    const card = await alex.message(({ text }) => text.includes('didn’t open the link'));
    expect(buttonsIn(card.blocks)).toEqual([]);
    // What Slack signs now must not be twenty minutes old.
    later = 0;
    expect(readable(await atHome(sandbox, ALEX).open())).toContain('Jane Cooper · link not opened, ');
  });
});

describe('a summary without any public address', () => {
  it.each([
    ['in Socket Mode', { socketMode: true }],
    ['for an on-premise installation from the cloud', { deployment: 'on-premise' }],
  ] as const)('arrives %s, and the card promises no more', async (_where, options) => {
    const sandbox = await start(options);
    const alex = personIn(sandbox);
    const link = await watch(sandbox);
    const card = await alex.message(isCard);
    expect(card.text).toContain('a few minutes after the session ends');
    await end(sandbox, link);
    expect((await alex.message(isSummary)).text).toContain(FOUND);
    expect(sandbox.service.webhooks()).toEqual([]);
  });

  it('isn’t promised by an installation without the cloud, and nothing is looked up', async () => {
    const sandbox = await start({ deployment: 'on-premise-connected' });
    await end(sandbox, await watch(sandbox));
    const card = await personIn(sandbox).message(isCard);
    expect(card.text).toContain('No summary follows: this deployment doesn’t report when sessions end.');
    expect(lookupsOf(sandbox)).toEqual([]);
  });
});
