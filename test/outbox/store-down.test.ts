import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startSandbox } from '../../sandbox/sandbox.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { alexInSupport, endedSession } from '../sessions/ended-session.ts';
import { serveRoute, webhooksOf } from '../sessions/webhook-stage.ts';

const notStored = '{"status":"error","error":"not stored, send it again"}';

describe('a webhook that arrives while the database is down', () => {
  it('is asked to come again unless its ticket or body is bad, posts nothing, and makes one summary once it does', async () => {
    const path = join(await temporaryFolder(), 'store.db');
    const sandbox = await startSandbox({ paceMs: 0, storeUrl: `sqlite:${path}` });
    onTestFinished(() => sandbox.close());
    const webhooks = webhooksOf(sandbox);
    const other = new DatabaseSync(path);
    onTestFinished(() => other.close());
    other.exec('BEGIN IMMEDIATE');
    const refused = await webhooks.send(endedSession('locked-out'));
    const checks = ['readyz', 'healthz'].map(
      async (check) => (await fetch(`${sandbox.publicUrl}/${check}`)).status,
    );
    expect(await Promise.all(checks)).toEqual([503, 200]);
    const to = `${sandbox.publicUrl}/webhooks/session-end/x`;
    expect(await webhooks.send(endedSession('a'), { to })).toMatchObject({ status: 404 });
    expect(await webhooks.sendText('{')).toMatchObject({ status: 400 });
    expect(await webhooks.send({})).toMatchObject({ status: 422 });
    other.exec('COMMIT');

    expect(refused).toMatchObject({ status: 503, body: notStored });
    expect(refused.headers.get('retry-after')).toBe('10');
    expect(await webhooks.allUntilNow()).toEqual([]);
    expect(await webhooks.send(endedSession('locked-out'))).toMatchObject({ status: 200 });
    await webhooks.summaryOf('locked-out');
    expect(await webhooks.allUntilNow()).toEqual(['locked-out']);
  });

  it.each<[string, () => Promise<never>, object, readonly string[]]>([
    [
      'so in time if the database doesn’t answer',
      () => new Promise(() => undefined),
      { status: 503, body: notStored },
      ['not-stored unknown'],
    ],
    [
      'nothing of that if it’s a bug of ours',
      () => Promise.reject(new TypeError('a mistake')),
      { status: 500, body: 'unexpected' },
      [],
    ],
  ])('hears %s', async (_what, accept, answer, reported) => {
    const { send, reports } = await serveRoute({ link: alexInSupport, accept, patienceMs: 1 });
    expect(await send(endedSession('a'))).toEqual(answer);
    expect(reports).toEqual(reported);
  });
});
