import { WebClient } from '@slack/web-api';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startApp } from '../../../src/app.ts';
import { createInstalledAs } from '../../../src/workspaces/workspaces.ts';
import { createSlackAgent, webClientOptions } from '../../../src/workspaces/web-client.ts';
import { startSandbox, type Sandbox } from '../../../sandbox/sandbox.ts';
import { connect, install } from '../../sandbox/install.ts';
import { ADA } from '../../home/at-home.ts';
import { alexInSupport, endedSession } from '../../sessions/ended-session.ts';
import { idsSeenBy, webhooksOf } from '../../sessions/webhook-stage.ts';
import { engines, storeFor } from '../../support/engines.ts';
import { PATIENT_MS, expectSound, keptLog } from '../../support/checked-sandbox.ts';
import { ALEX, SUPPORT, anotherLink, personIn, readable } from '../../support/person.ts';

const RANDOM = 'C0RANDOM003';
const UMBRELLA = 'T0UMBRELLA0';

const alexIn = (sandbox: Sandbox) => personIn(sandbox, ALEX);
const adaIn = (sandbox: Sandbox) => personIn(sandbox, ADA);

/** Everything that was sent to a workspace's Slack and service. */
const heard = ({ slack, service }: Sandbox): readonly string[] =>
  [slack.calls, service.requests].flat().map((sent) => JSON.stringify(sent));

async function watched(sandbox: Sandbox, label: RegExp): Promise<string> {
  const alex = alexIn(sandbox);
  const redirect = await anotherLink(await alex.watch(await alex.type('/cobrowse find jane'), label));
  return redirect.headers.get('location') ?? '';
}

describe.each(engines)('two workspaces with a service account each, in one process, in $engine', (engine) => {
  const storeUrl = storeFor(engine);
  const { log, lines } = keptLog();
  let acme: Sandbox;
  let umbrella: Sandbox;
  /** What was heard while both used the operator's account. */
  let shared: ReadonlySet<string>;
  const heardSince = (one: Sandbox) =>
    heard(one)
      .filter((sent) => !shared.has(sent))
      .join('\n');

  beforeAll(async () => {
    const patient = { paceMs: 0, pageWaitMs: PATIENT_MS };
    acme = await startSandbox({ workspaces: 2, ...patient, log, storeUrl: storeUrl() });
    const { many = { umbrella: acme.slack, account: acme.service } } = acme;
    umbrella = { ...acme, slack: many.umbrella, service: many.account };
  });
  afterAll(async () => {
    expectSound(acme);
    expectSound(umbrella);
    await acme.close();
  });

  it('each install the app, and one connects an account of its own', async () => {
    for (const one of [acme, umbrella]) {
      expect((await install(acme, one.slack, { as: ADA })).status).toBe(200);
      for (const channel of [SUPPORT, RANDOM]) one.slack.join({ channel, user: one.slack.bot.userId });
    }
    await connect(umbrella.slack, umbrella.service);
    shared = new Set([acme, umbrella].flatMap(heard));
  });

  // That neither learns of the other's is below.
  it('each find their own visitors, and get their own links and summaries', async () => {
    const link = await watched(umbrella, /^Watch the screen of Jane Umbrella/);
    expect(link).toContain(umbrella.service.url);
    const session = await umbrella.service.openWatchLink(link);
    await umbrella.service.endSession(session.id);
    await alexIn(umbrella).message(({ text }) => text.includes('Jane Umbrella with '));
    expect(await watched(acme, /^Watch the screen of Jane Cooper/)).toContain(acme.service.url);
  });

  it('accept no press in one for a button of the other', async () => {
    const [here, there] = [alexIn(acme), alexIn(umbrella)];
    const found = await here.type('/cobrowse find jane');
    const { url = '' } = here.button(found, /^Watch the screen of Jane Cooper/);
    const offer = await there.type('/cobrowse find jane');
    const gone = new AbortController();
    const opened = fetch(url, { redirect: 'manual', signal: gone.signal }).then(
      ({ status }) => status,
      () => 'nothing',
    );
    expect((await there.watch(offer, /^Watch the screen of Jane Umbrella/)).status).toBe(302);
    gone.abort();
    expect(await opened).toBe('nothing');
  });

  it('each have their own people and subscriptions', async () => {
    acme.slack.changePerson(ALEX, { guest: true });
    expect((await alexIn(acme).type('/cobrowse find jane')).text).toContain('guest');
    expect(readable((await alexIn(umbrella).type('/cobrowse find jane')).blocks)).toContain('Jane Umbrella');
    acme.slack.changePerson(ALEX, { guest: false });
    const set = await alexIn(acme).type('/cobrowse subscribe #random');
    expect(set.text).toContain(RANDOM);
    expect((await adaIn(acme).type('/cobrowse subscriptions')).text).toContain(RANDOM);
    expect((await adaIn(umbrella).type('/cobrowse subscriptions')).text).not.toContain(RANDOM);
  });

  it('each get their own summary of sessions with the same id', async () => {
    const here = webhooksOf(acme);
    const there = { ...alexInSupport, workspaceId: UMBRELLA };
    await here.send(endedSession('same'));
    // In Alex's channel, and in the one that was subscribed above.
    const inAcme = () => idsSeenBy(acme.slack).filter((id) => id === 'same');
    await acme.slack.until(ALEX, () => inAcme().length === 2 || undefined);
    expect(idsSeenBy(umbrella.slack)).not.toContain('same');
    await here.send(endedSession('same'), { to: here.address(there) });
    await umbrella.slack.until(ALEX, () => idsSeenBy(umbrella.slack).includes('same') || undefined);
    expect(inAcme()).toHaveLength(2);
  });

  it('each have their own audit', async () => {
    expect((await adaIn(acme).type('/cobrowse audit')).text).toContain('jane4821');
    const there = (await adaIn(umbrella).type('/cobrowse audit')).text;
    expect(there).toContain('jane4821');
    const kept = lines.flatMap((line) => {
      const { audit } = JSON.parse(line);
      return audit === undefined ? [] : [audit.workspaceId];
    });
    expect(new Set(kept)).toEqual(new Set(['T0ACME00000', UMBRELLA]));
    expect(there).not.toContain(RANDOM);
  });

  it('learn nothing about each other, from Slack or from the service', () => {
    expect(heardSince(acme)).toContain('Jane Cooper');
    expect(heardSince(acme)).not.toMatch(/umbrella/i);
    expect(heardSince(umbrella)).toContain('Jane Umbrella');
    expect(heardSince(umbrella)).not.toMatch(/Cooper|T0ACME00000/);
  });
});

it('says that Slack couldn’t be asked which workspace somebody is in, asks again, and then once for all', async () => {
  const first = await startSandbox();
  // Its own app has stopped.
  onTestFinished(async () => {
    await Promise.all([first.slack.close(), first.service.close(), first.shop.close()]);
  });
  await first.app.stop();
  first.slack.fail('auth.test', 'internal_error', 100);
  const { config } = first;
  const running = await startApp(config, { log: keptLog().log });
  first.slack.setRequestUrl(`http://127.0.0.1:${running.port}/slack/events`);
  onTestFinished(() => running.stop());
  const find = async () => readable((await alexIn(first).type('/cobrowse find jane')).blocks);
  expect(await find()).toContain('couldn’t check your permission with Slack, so nothing was done');

  first.slack.fail('auth.test', '', 0);
  expect(await find()).toContain('Jane Cooper');

  const { apiUrl, botToken } = { botToken: '', ...config.slack };
  const options = webClientOptions({ apiUrl, slackAgent: createSlackAgent(), log: keptLog().log });
  const client = new WebClient(botToken, options);
  const asked = () => first.slack.calls.filter(({ method }) => method === 'auth.test').length;
  const before = asked();
  const installedAs = createInstalledAs(client);
  for (const { workspaceId } of await Promise.all([installedAs(), installedAs()]))
    expect(workspaceId).toBe('T0ACME00000');
  expect(asked()).toBe(before + 1);
});
