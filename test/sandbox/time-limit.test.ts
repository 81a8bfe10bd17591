import { describe, expect, it } from 'vitest';
import { createHttpDelivery } from '../../sandbox/slack/dispatch.ts';
import { createDeadlines } from '../../sandbox/service/deadlines.ts';
import { listener } from './service/stand-in.ts';

/** The process gets no processor time. */
function stall(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

describe('a limit of time', () => {
  it('leaves time to read an answer that came while the process stood still', async () => {
    const { url, bodies } = await listener(200);
    const limit = { signingSecret: 's', requestUrl: () => url, ackLimitMs: 1_000, now: Date.now };
    const answer = createHttpDelivery(limit)('interactive', {});
    stall(1_500);
    expect(await answer).toMatchObject({ acknowledged: true });
    expect(bodies).toHaveLength(1);
  });

  it('leaves time to a page that comes back while the process stands still', async () => {
    const ended: string[] = [];
    const ms = { idle: 500, 'visitor-gone': 500, 'page-closed': 500, 'page-lost': 500 };
    const deadlines = createDeadlines(ms, (id) => ended.push(id));
    deadlines.start('one', 'page-closed');
    stall(800);
    // Timers that are due ring between these.
    for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    deadlines.cancel('one', 'page-closed');
    deadlines.start('two', 'page-closed');
    await expect.poll(() => ended).toEqual(['two']);
  });
});
