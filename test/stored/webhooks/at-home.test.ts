import { describe, expect, it, onTestFinished } from 'vitest';
import { startSandbox, type Sandbox } from '../../../sandbox/sandbox.ts';
import { ADA, atHome } from '../../home/at-home.ts';
import { sendInteraction } from '../../slack/send-payload.ts';
import { checkedSandbox, expectSound, keptLog } from '../../support/checked-sandbox.ts';
import { engines, sqlite } from '../../support/engines.ts';
import { ALEX, personIn, readable } from '../../support/person.ts';
import { startForMany } from '../../workspaces/many-stage.ts';
import { rawDatabase } from '../../workspaces/raw-database.ts';
import { atWebhooks, secretIn, stateOf } from '../../webhooks/home-stage.ts';

const hostOf = ({ receiver }: Sandbox) => new URL(receiver.url).host;

describe.each(engines)('webhooks in the admins’ Home, in $engine', ({ newUrl }) => {
  it('are added, tested, edited, given a new secret and removed; address and secret are nowhere to be read', async () => {
    const storeUrl = await newUrl();
    const { log, lines } = keptLog();
    const sandbox = await startSandbox({ storeUrl, log, paceMs: 0 });
    onTestFinished(() => sandbox.close());
    const { slack, receiver } = sandbox;
    const host = hostOf(sandbox);
    const webhooks = atWebhooks(sandbox);
    const address = `${receiver.address}/only-here?key=topsecret`;

    const events = ['watch_link.opened', 'session.ended'] as const;
    const secret = await webhooks.add({ address, events, tags: 'vip' });
    receiver.trust(secret);
    const told = readable((await webhooks.menu()).blocks);
    expect(told).toContain(`${host}\nNot tried yet`);
    expect(told).toContain(
      'Watch link opened, Session ended · For co-browsing sessions with customers tagged vip',
    );
    expect(told).toContain('Without the customer’s name');
    expect(told).toContain(`Added by <@${ADA}>`);

    const tested = await webhooks.pressFor(/^Send a test/, /accepted the test/);
    expect(readable(tested.blocks)).toContain('it accepted the test (200).The answer begins:Thank you.');
    expect(readable(await webhooks.ada.open())).toContain(`${host}: Working`);
    expect(receiver.arrived()).toMatchObject([{ isVerified: true, answered: 200 }]);
    const body: unknown = JSON.parse(receiver.arrived()[0]?.body ?? '');
    expect(body).toMatchObject({ type: 'test', data: { workspace_id: 'T0ACME00000' } });

    const next = secretIn(await webhooks.pressFor(/^New secret/, /New secret for/));
    expect(next).not.toBe(secret);
    await webhooks.pressFor(/^Send a test/, /accepted the test/);
    // The receiver still knows only the old one.
    expect(receiver.arrived()).toMatchObject([{ isVerified: true }, {}]);

    const form = await webhooks.form(/^Edit/);
    expect(JSON.stringify(form.blocks)).not.toContain('only-here');
    await webhooks.submit(form, { events: ['session.outcome_changed'], withNames: true, tags: '' });
    await slack.until(ADA, ({ views }) => views.length === 0);
    const changed = readable((await webhooks.menu()).blocks);
    expect(changed).toContain('Outcome changed · For all co-browsing sessions');
    expect(changed).toContain('With the customer’s name');

    const removed = await webhooks.pressFor(/^Remove/, /Removed/);
    expect(readable(removed.blocks)).toContain(`Removed ${host}. Nothing more is sent there.`);
    expect(readable(await webhooks.ada.open())).not.toContain(host);

    const { text } = await personIn(sandbox, ADA).type('/cobrowse audit webhooks');
    for (const deed of ['added', 'changed', 'made a new secret for', 'sent a test to', 'removed'])
      expect(text).toContain(`${deed} the webhook to ${host}`);

    expectSound(sandbox);
    const kept = `${await rawDatabase(storeUrl)}${JSON.stringify(lines)}`;
    expect(kept).toContain(host);
    for (const hidden of ['only-here', 'topsecret', secret.slice(6), next.slice(6)])
      expect(kept).not.toContain(hidden);
  });
});

describe('webhooks in the admins’ Home', () => {
  const { sandbox, logLines } = checkedSandbox();

  const whole = 'Enter the whole address, beginning with https://.';
  const notPublic = 'This has to be a public https address.';
  const noPassword = 'Leave out the user name and password. Messages are signed instead.';
  const anywhere = 'https://hooks.example.com/';
  it.each([
    ['no address', { address: 'hooks.example.com' }, whole],
    ['a password', { address: 'https://ada:topsecret@hooks.example.com/' }, noPassword],
    ['plain http', { address: 'http://hooks.example.com/' }, notPublic],
    ['this machine', { address: 'https://127.0.0.1/' }, notPublic],
    ['a name without a dot', { address: 'https://intranet:8443/in' }, notPublic],
    ['a long tag', { address: anywhere, tags: 'x'.repeat(70) }, 'A tag has 1 to 60 characters.'],
  ])('say beside the field what is wrong with %s', async (_what, typed, words) => {
    const webhooks = atWebhooks(sandbox());
    await webhooks.submit(await webhooks.form(/^Add an address/), typed);
    const block = 'tags' in typed ? 'tags' : 'address';
    expect(await webhooks.wrong()).toEqual({ [block]: expect.stringContaining(words) });
    await webhooks.closeAll();
  });

  it('take each address once, and ten of them', async () => {
    const webhooks = atWebhooks(sandbox());
    const { address } = sandbox().receiver;
    for (let number = 1; number <= 10; number += 1) await webhooks.add({ address: `${address}/${number}` });
    const menu = await webhooks.menu();
    expect(readable(menu.blocks)).toContain('That’s all: a workspace can have 10 addresses.');
    await webhooks.pressFor(/^Remove/, /Removed/);
    const form = await webhooks.form(/^Add an address/);
    await webhooks.submit(form, { address: `${address}/3#somewhere` });
    expect(await webhooks.wrong()).toEqual({ address: 'This address has been added already.' });
    await webhooks.submit(form, { address: `${address}/1` });
    await webhooks.saying(/Signing secret/);
    await webhooks.closeAll();
  });

  it('are for admins only, whoever forges a press, which is on record', async () => {
    const alex = atHome(sandbox(), ALEX);
    expect(readable(await alex.open())).not.toContain('Webhooks');
    const state = { values: stateOf({ address: anywhere }) };
    const forged = await sendInteraction(sandbox(), {
      type: 'view_submission',
      team: { id: 'T0ACME00000' },
      user: { id: ALEX },
      view: { id: 'none', callback_id: 'home_add_webhook_form', state },
    });
    expect(await forged.text()).toContain('Nothing changed.');
    const line = logLines.find((one) => one.includes('"action":"refusal"'));
    expect(JSON.parse(line ?? '{}')).toMatchObject({
      audit: { userId: ALEX, outcome: 'not-admin', detail: { act: 'webhooks' } },
    });
  });
});

describe('webhooks after SECRET_KEYS was changed without rotate-keys', () => {
  it('say so wherever a secret is needed, and can still be removed', async () => {
    const storeUrl = await sqlite.newUrl();
    // Each sandbox has a key of its own.
    const before = await startSandbox({ storeUrl, log: keptLog().log });
    await atWebhooks(before).add({ address: before.receiver.address });
    await before.close();
    const sandbox = await startSandbox({ storeUrl, log: keptLog().log });
    onTestFinished(() => sandbox.close());
    const webhooks = atWebhooks(sandbox);
    const missing =
      /the key for .* is missing from SECRET_KEYS\.\s*Ask whoever runs the app to put it back\./;
    await webhooks.pressFor(/^Send a test/, missing);
    await webhooks.pressFor(/^New secret/, missing);
    await webhooks.submit(await webhooks.form(/^Add an address/), { address: sandbox.receiver.address });
    await webhooks.saying(missing);
    const removed = await webhooks.pressFor(/^Remove/, /Removed/);
    expect(readable(removed.blocks)).not.toContain('New secret');
    expectSound(sandbox);
  });
});

describe('webhooks with many workspaces', () => {
  it('reach the operator’s hosts only from workspaces that the operator named', async () => {
    for (const [allowed, words] of [
      [['T0ACME00000'], /Signing secret/],
      [[], /This has to be a public https address/],
    ] as const) {
      const { sandbox } = await startForMany({ storeUrl: await sqlite.newUrl(), allowed, connects: true });
      const webhooks = atWebhooks(sandbox);
      const { address } = sandbox.receiver;
      await webhooks.submit(await webhooks.form(/^Add an address/), { address });
      const said = await sandbox.slack.until(ADA, ({ views }) =>
        views.some(({ blocks, errors }) => words.test(`${readable(blocks)}${JSON.stringify(errors)}`)),
      );
      expect(said).toBe(true);
    }
  });
});
