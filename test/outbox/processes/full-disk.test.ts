import { describe, expect, it } from 'vitest';
import { idsSeenBy } from '../../sessions/webhook-stage.ts';
import { summaryOf, tellOf } from './many-channels.ts';
import { openRealWorld } from './real-app.ts';

// A limit on the file's size simulates a full disk: writes beyond it fail.
const SMALL_DISK = ['sh', '-c', 'ulimit -f 2000; exec "$@"', 'sh'];
const fields = { padding: 'x'.repeat(100_000) };

describe('webhooks that come until the disk is full', () => {
  it('are refused from then on, and all accepted ones become summaries once there is room', async () => {
    const world = await openRealWorld();
    world.slack.fail('chat.postMessage', { retryAfter: 3_600 }, 1_000);
    const app = await world.start(SMALL_DISK);
    const taken: string[] = [];
    let status = 200;
    while (status === 200 && taken.length < 100) {
      const id = `s${taken.length}`;
      status = await tellOf(world, id, { fields });
      if (status === 200) taken.push(id);
    }
    const refused = `s${taken.length}`;
    expect(status).toBe(503);
    expect(taken.length).toBeGreaterThan(1);
    expect(await fetch(`${world.publicUrl}/healthz`)).toMatchObject({ status: 200 });
    await app.said('session-end webhook refused');
    await app.kill();
    expect(idsSeenBy(world.slack)).toEqual([]);

    world.slack.fail('chat.postMessage', 'hang', 0);
    world.endWaits();
    await world.start();
    for (const id of taken) await summaryOf(world, id);
    expect(await tellOf(world, refused, { fields })).toBe(200);
    await summaryOf(world, refused);
    expect(idsSeenBy(world.slack)).toEqual([...taken, refused]);
  });
});
