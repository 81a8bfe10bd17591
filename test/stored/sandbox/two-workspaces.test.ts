import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../../sandbox/sandbox.ts';
import type { StandInSlack } from '../../../sandbox/slack/slack.ts';
import { PATIENT_MS, expectSound } from '../../support/checked-sandbox.ts';
import { ALEX, SUPPORT, anotherLink, personIn, readable } from '../../support/person.ts';
import { engines, storeFor } from '../../support/engines.ts';
import { connect, install } from '../../sandbox/install.ts';

const APP = 'U0COBROWSE';

const summariesIn = ({ snapshot }: StandInSlack) =>
  snapshot(ALEX).messages.filter(({ text }) => text.includes('Co-browsing session ended')).length;

const found = async (slack: StandInSlack) =>
  readable((await personIn({ slack }).type('/cobrowse find jane')).blocks);

describe.each(engines)('two workspaces that install the app, in $engine', (engine) => {
  const storeUrl = storeFor(engine);
  let sandbox: Sandbox;
  let acme: StandInSlack;
  let umbrella: StandInSlack;

  beforeAll(async () => {
    sandbox = await startSandbox({
      workspaces: 2,
      paceMs: 0,
      pageWaitMs: PATIENT_MS,
      storeUrl: storeUrl(),
    });
    acme = sandbox.slack;
    umbrella = sandbox.many?.umbrella ?? sandbox.slack;
  });
  afterAll(async () => {
    expectSound({ ...sandbox, slack: acme });
    expectSound({ ...sandbox, slack: umbrella });
    await sandbox.close();
  });

  it('aren’t served before, nor after somebody cancels', async () => {
    const canceled = await install(sandbox, acme, { as: ALEX, answer: 'cancel' });
    expect(canceled.status).toBe(403);
    expect(acme.snapshot(ALEX).installing?.installed).toBe(false);
  });

  it.each(['Acme', 'Umbrella'])('go from the installation over Watch to the summary in %s', async (name) => {
    const slack = name === 'Acme' ? acme : umbrella;
    const installed = await install(sandbox, slack, { as: ALEX });
    expect(await installed.text()).toContain(`It’s now in ${name}.`);
    slack.join({ channel: SUPPORT, user: APP });
    const alex = personIn({ slack });
    const list = await alex.type('/cobrowse find jane@acme.com');
    expect(readable(list.blocks)).toContain('Jane Cooper');
    const redirect = await anotherLink(await alex.watch(list, /^Watch the screen of Jane Cooper/));
    expect(redirect.status).toBe(302);
    const session = await sandbox.service.openWatchLink(redirect.headers.get('location') ?? '');
    await sandbox.service.endSession(session.id);
    const summary = await alex.message(({ text }) => text.includes('Co-browsing session ended'));
    expect(summary).toMatchObject({ channel: SUPPORT, ephemeral: false });
    expect([acme, umbrella].map(summariesIn)).toEqual(name === 'Acme' ? [1, 0] : [1, 1]);
  });

  it('learn nothing about each other', () => {
    expect(JSON.stringify(acme.calls)).not.toMatch(/umbrella/i);
    expect(JSON.stringify(umbrella.calls)).not.toContain('T0ACME00000');
  });

  it('see the customers of their own account once an admin has connected it, and no others', async () => {
    await connect(umbrella, sandbox.many?.account ?? sandbox.service);
    expect(await found(umbrella)).toContain('Jane Umbrella');
    expect(await found(umbrella)).not.toContain('Cooper');
    expect(await found(acme)).toContain('Jane Cooper');
    expect(await found(acme)).not.toContain('Umbrella');
  });

  it('no longer reach one that removed the app, and goes on in the other', async () => {
    const sent = acme.calls.length;
    expect(acme.uninstall()).toEqual({ ok: true });
    const acknowledged = () => acme.calls.slice(sent).filter(({ method }) => method === 'ack').length;
    await expect.poll(acknowledged).toBe(2);
    const alex = personIn({ slack: umbrella });
    expect(readable((await alex.type('/cobrowse find jane')).blocks)).toContain('Jane Umbrella');
    expect(acme.snapshot(ALEX).commands).toEqual([]);
  });

  it('are served again once they install it again', async () => {
    await install(sandbox, acme, { as: ALEX });
    acme.join({ channel: SUPPORT, user: APP });
    const answer = await personIn({ slack: acme }).type('/cobrowse find jane');
    expect(readable(answer.blocks)).toContain('Jane Cooper');
  });
});
