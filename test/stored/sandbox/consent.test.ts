import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PATIENT_MS } from '../../support/checked-sandbox.ts';
import { startSandbox, type Sandbox } from '../../../sandbox/sandbox.ts';
import type { PageView } from '../../../sandbox/slack/page-api.ts';
import { engines, storeFor } from '../../support/engines.ts';
import { atHome } from '../../home/at-home.ts';
import { ALEX, SAM, SUPPORT, buttonsIn, choicesIn, personIn, readable } from '../../support/person.ts';

/** No longer than the test takes: the app looks up its agents' sessions all the time. */
const QUICK_LOOKS = { firstMs: 1, leastGapMs: 20, mostGapMs: 20, graceMs: 60_000 };

const isStopForm = ({ title, submit }: PageView) => title === 'Stop session' && submit !== undefined;

describe.each(engines)('a customer who is asked, in $engine', (engine) => {
  const storeUrl = storeFor(engine);
  let sandbox: Sandbox;

  beforeAll(async () => {
    const patient = { paceMs: 0, pageWaitMs: PATIENT_MS };
    sandbox = await startSandbox({ ...patient, reconcile: QUICK_LOOKS, storeUrl: storeUrl() });
  });
  afterAll(() => sandbox.close());

  const alex = () => personIn(sandbox);
  const inSupport = (words: string) =>
    alex().message(
      ({ channel, ephemeral, text }) => channel === SUPPORT && !ephemeral && text.includes(words),
    );
  const unaccepted = (name: string) => alex().message(({ text }) => text.includes(`${name} · Not accepted`));
  const home = async () => readable(await atHome(sandbox, ALEX).open());

  /** Alex presses Watch, the customer is asked, and a card in the channel says so. */
  async function ask(visitorId: string, name: string) {
    const redirect = await alex().watch(await alex().type(`/cobrowse watch ${visitorId}`));
    const { id } = await sandbox.service.openWatchLink(redirect.headers.get('location') ?? '', 'is asked');
    return { id, card: await inSupport(`asked to see ${name}’s screen · `) };
  }

  it('is asked until they agree: then it is a session, with a length and an outcome to say', async () => {
    const { id, card } = await ask('jane4821', 'Jane Cooper');
    expect(card.text).toContain('Alex Rivera asked to see Jane Cooper’s screen · Full control.');
    expect((await alex().type('/cobrowse find jane4821')).text).toContain('You asked to see the screen');
    const found = await personIn(sandbox, SAM).type('/cobrowse find jane');
    expect(found.text).toContain('Alex Rivera asked to see the screen');
    expect(found.text).not.toContain('In session');
    const choice = 'Jane Cooper, jane@acme.com (asked to show the screen)';
    expect(choicesIn(found.blocks)).toContain(choice);
    expect(await home()).toMatch(/Jane Cooper · asked .* · hasn’t accepted yet/);
    expect((await alex().type('/cobrowse stop jane4821')).text).toContain('You asked to see the screen');
    expect((await alex().type('/cobrowse agent')).text).toContain('not accepted yet');

    sandbox.service.agree(id);
    expect((await alex().type('/cobrowse find jane4821')).text).toContain('In session with you');
    expect(await home()).toContain('Jane Cooper · in session since ');
    const live = await inSupport('In session');
    expect(live).toMatchObject({ ts: card.ts, edited: true });

    await sandbox.service.endSession(id);
    const summary = await inSupport('Co-browsing session ended');
    expect(summary.ts).toBe(card.ts);
    expect(summary.text).toContain(' · No tools used');
    expect(await home()).toMatch(/Jane Cooper · \d+ seconds? · ended /);
  });

  it('who declines did not accept, and that is all that is said', async () => {
    const { id } = await ask('amara7', 'Amara Okafor');
    await sandbox.service.endSession(id, 'declined');
    const summary = await unaccepted('Amara Okafor');
    expect(summary.text).not.toMatch(/tools|Feedback|session ended/i);
    expect(buttonsIn(summary.blocks).map(({ text }) => text.text)).toEqual(['Watch again', 'Add note']);
    expect(choicesIn(summary.blocks)).toEqual([]);
    expect(await home()).toContain('Amara Okafor · didn’t accept · ended ');
    expect(await home()).toMatch(/1 in the last 14 days, 1 of them today\.\s*Not accepted: 1/);
    expect((await alex().type('/cobrowse visitor amara7')).text).toContain('not accepted');
  });

  it('is asked no longer once a colleague stops it, who is named', async () => {
    await ask('lm3', "Liam O'Brien");
    const sam = personIn(sandbox, SAM);
    const found = await sam.type('/cobrowse stop lm3');
    const stopped = await sam.stop(async () => {
      await sam.press(found, /^Stop/);
      const form = await sam.modal(isStopForm);
      expect(readable(form.blocks)).toContain('takes back requests to see the screen.');
    });
    expect(readable(stopped.blocks)).toBe(
      `The request to see Liam O'Brien’s screen was stopped by <@${SAM}>.`,
    );
    const summary = await inSupport("Liam O'Brien · Not accepted");
    const detail = await sam.message(({ thread_ts: thread }) => thread === summary.ts);
    expect(detail.text).toContain('Stopped by: ');
  });
});
