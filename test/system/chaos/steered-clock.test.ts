import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';

const CLOCK = new URL('../../chaos/processes/steered-clock.ts', import.meta.url).href;
const SHOW = fileURLToPath(new URL('../../chaos/processes/show-clock.ts', import.meta.url));
const HOUR = 3_600_000;
const Shown = z.object({
  now: z.number(),
  made: z.number(),
  lived: z.number(),
  rung: z.boolean(),
  rounds: z.number(),
});

async function startClock(offsetMs: number) {
  const child = spawn(process.execPath, ['--import', CLOCK, SHOW], {
    env: { CLOCK_OFFSET_MS: String(offsetMs) },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'message');
  return async (steering: object) => {
    const answered = once(child, 'message');
    child.send(steering);
    const [shown]: readonly unknown[] = await answered;
    return Shown.parse(shown);
  };
}

// The process has the machine's clock, not the test's.
const machineNow = () => performance.timeOrigin + performance.now();
const near = (at: number) =>
  Math.abs(at - machineNow()) < 60_000 ? 'now' : Math.round((at - machineNow()) / HOUR);

describe('the clock of a process under test', () => {
  it('begins where it is put, and leaps with what waits for it', async () => {
    const steer = await startClock(2 * HOUR);
    const before = await steer({});
    expect([near(before.now), near(before.made), before.rung, before.rounds]).toEqual([2, 2, false, 0]);
    expect(before.lived).toBeLessThan(HOUR);
    await steer({ leapMs: 2 * HOUR });
    await expect.poll(() => steer({})).toMatchObject({ rung: true });
    const after = await steer({});
    expect(near(after.now)).toBe(4);
    expect(Math.floor(after.lived / HOUR)).toBe(2);
    await expect.poll(() => steer({})).toMatchObject({ rounds: 1 });
    await steer({ leapMs: HOUR });
    await expect.poll(() => steer({})).toMatchObject({ rounds: 2 });
  });

  it('can be wrong, and right again, without what waits for it', async () => {
    const steer = await startClock(0);
    const before = await steer({ skewMs: 5 * HOUR });
    expect([near(before.now), Math.floor(before.lived / HOUR)]).toEqual([5, 0]);
    expect(near((await steer({ skewMs: -5 * HOUR })).now)).toBe(-5);
    const after = await steer({ skewMs: 0 });
    expect([near(after.now), after.rung]).toEqual(['now', false]);
  });
});
