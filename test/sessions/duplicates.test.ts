import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp } from '../../src/app.ts';
import { createLog } from '../../src/log.ts';
import { startSandbox } from '../../sandbox/sandbox.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { SALES, SAM } from '../support/person.ts';
import { alexInSupport, endedSession } from './ended-session.ts';
import { idsSeenBy, webhooksOf } from './webhook-stage.ts';

const RANDOM = 'C0RANDOM003';
const ok = { status: 200, body: '{"status":"ok"}' };

describe('a session that the service reports more than once', () => {
  let sandbox: Sandbox;
  let webhooks: ReturnType<typeof webhooksOf>;
  beforeAll(async () => {
    sandbox = await startSandbox({ paceMs: 0 });
    webhooks = webhooksOf(sandbox);
  });
  afterAll(() => sandbox.close());

  const times = async (id: string) => (await webhooks.allUntilNow()).filter((seen) => seen === id).length;

  it('makes one summary, and succeeds each time', async () => {
    for (let time = 0; time < 5; time += 1) {
      expect(await webhooks.send(endedSession('one'))).toMatchObject(ok);
    }
    await webhooks.summaryOf('one');
    expect(await webhooks.send(endedSession('one'))).toMatchObject(ok);
    expect(await times('one')).toBe(1);
  });

  it('makes one summary even if fifty reports arrive together', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => webhooks.send(endedSession('fifty'))));
    for (const answer of answers) expect(answer).toMatchObject(ok);
    expect(await times('fifty')).toBe(1);
  });

  it('makes one summary even if each goes to another address at the same time', async () => {
    const grants = Array.from({ length: 10 }, (_, index) => ({
      ...alexInSupport,
      linkId: `grant-${index}`,
      ...(index % 2 === 0 ? {} : { userId: SAM, channelId: RANDOM }),
    }));
    await Promise.all(
      grants.map((link) => webhooks.send(endedSession('shared'), { to: webhooks.address(link) })),
    );
    await webhooks.summaryOf('shared');
    // Once a later summary is through, the other channel has nothing left to do either.
    await webhooks.send(endedSession('after'), { to: webhooks.address(grants[1]) });
    await webhooks.summaryOf('after');
    expect(await times('shared')).toBe(1);
  });

  it('is the same session bare or wrapped, with its id as a number or text, and with other facts', async () => {
    await webhooks.send(endedSession(4_711));
    await webhooks.send({ session: endedSession(4_711) });
    await webhooks.send(endedSession('4711', { length_seconds: 1 }));
    expect(await times('4711')).toBe(1);
  });

  it('is a different session with a different id', async () => {
    await webhooks.send(endedSession('case'));
    await webhooks.send(endedSession('Case'));
    expect(await webhooks.allUntilNow()).toEqual(expect.arrayContaining(['case', 'Case']));
  });

  it('isn’t posted again if its channel refused it', async () => {
    const to = webhooks.address({ ...alexInSupport, channelId: SALES });
    await webhooks.send(endedSession('refused'), { to });
    await webhooks.summaryOf('refused');
    await webhooks.send(endedSession('refused'), { to });
    expect(await times('refused')).toBe(1);
    const tries = sandbox.slack.calls.filter(({ error }) => error === 'not_in_channel');
    expect(tries).toHaveLength(1);
  });
});

describe('a session that the service reports again after a restart of the app', () => {
  it('still makes one summary', async () => {
    const storeUrl = `sqlite:${join(await temporaryFolder(), 'store.db')}`;
    const sandbox = await startSandbox({ paceMs: 0, storeUrl });
    const webhooks = webhooksOf(sandbox);
    await webhooks.send(endedSession('one'));
    await webhooks.summaryOf('one');
    await sandbox.app.stop();
    const log = createLog({ level: 'silent', secrets: [] });
    const second = await startApp(sandbox.config, { log, paceMs: 0 });
    expect(await webhooks.send(endedSession('one'))).toMatchObject(ok);
    await webhooks.send(endedSession('two'));
    await webhooks.summaryOf('two');
    expect(idsSeenBy(sandbox.slack)).toEqual(['one', 'two']);
    await second.stop();
    await Promise.all([sandbox.slack.close(), sandbox.service.close()]);
  });
});
