import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startSandbox } from '../../sandbox/sandbox.ts';
import { openDatabase } from '../../src/database/open.ts';
import { createSessionEnds, sessionEndOf } from '../../src/sessions/session-ends.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { alexInSupport, endedSession } from '../sessions/ended-session.ts';
import { idsSeenBy, serveRoute, webhooksOf } from '../sessions/webhook-stage.ts';

const notStored = '{"status":"error","error":"not stored, send it again"}';

/** An app whose database somebody else has locked, until they `unlock` it. */
async function openLocked() {
  const path = join(await temporaryFolder(), 'store.db');
  const sandbox = await startSandbox({ paceMs: 0, storeUrl: `sqlite:${path}` });
  onTestFinished(() => sandbox.close());
  const other = new DatabaseSync(path);
  onTestFinished(() => other.close());
  other.exec('BEGIN IMMEDIATE');
  return { sandbox, webhooks: webhooksOf(sandbox), unlock: () => other.exec('COMMIT') };
}

describe('a webhook that arrives while the database is down', () => {
  it('is asked to come again, posts nothing, and makes one summary once it does', async () => {
    const { sandbox, webhooks, unlock } = await openLocked();
    const refused = await webhooks.send(endedSession('locked-out'));
    const ready = await fetch(`${sandbox.publicUrl}/readyz`);
    const alive = await fetch(`${sandbox.publicUrl}/healthz`);
    unlock();

    expect(refused).toMatchObject({ status: 503, body: notStored });
    expect(refused.headers.get('retry-after')).toBe('10');
    expect([ready.status, alive.status]).toEqual([503, 200]);
    expect(await webhooks.allUntilNow()).toEqual([]);
    expect(await webhooks.send(endedSession('locked-out'))).toMatchObject({ status: 200 });
    await webhooks.summaryOf('locked-out');
    expect(await webhooks.allUntilNow()).toEqual(['locked-out']);
  });

  it('is still refused for a bad ticket or body', async () => {
    const { sandbox, webhooks } = await openLocked();
    const to = `${sandbox.publicUrl}/webhooks/session-end/x`;
    expect(await webhooks.send(endedSession('a'), { to })).toMatchObject({ status: 404 });
    expect(await webhooks.sendText('{')).toMatchObject({ status: 400 });
    expect(await webhooks.send({})).toMatchObject({ status: 422 });
    expect(idsSeenBy(sandbox.slack)).toEqual([]);
  });

  it('hears so in time if the database doesn’t answer', async () => {
    const { send, reports } = await serveRoute({
      link: alexInSupport,
      accept: () => new Promise(() => undefined),
      patienceMs: 1,
    });

    expect(await send(endedSession('a'))).toEqual({ status: 503, body: notStored });
    expect(reports).toEqual(['not-stored unknown']);
  });

  it('hears so if the database is closed, but a bug of ours is no 503', async () => {
    const database = await openDatabase('memory:');
    const sessionEnds = createSessionEnds(database);
    let mistake: Error | undefined;
    const { send, reports } = await serveRoute({
      link: alexInSupport,
      async accept(link, session) {
        if (mistake !== undefined) throw mistake;
        return sessionEnds.record(sessionEndOf('id', link, session, { receivedAt: 0, recovered: false }));
      },
    });
    await database.close();
    expect(await send(endedSession('a'))).toEqual({ status: 503, body: notStored });
    expect(reports).toEqual(['not-stored closed']);
    mistake = new TypeError('a mistake of our own');
    expect(await send(endedSession('a'))).toEqual({ status: 500, body: 'unexpected' });
    expect(reports).toHaveLength(1);
  });
});
