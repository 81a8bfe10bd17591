import { vi } from 'vitest';

/** Turns of the event loop in which writes are committed, while time stands still. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 60; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Lets time pass by steps; after each, everything that it set off comes to its rest. */
export async function pass(ms: number, stepMs = 500, rest: () => Promise<void> = turns): Promise<void> {
  const end = Date.now() + ms;
  await rest();
  for (;;) {
    const before = Date.now();
    await vi.advanceTimersByTimeAsync(Math.min(stepMs, end - before));
    await rest();
    if (Date.now() >= end) return;
  }
}
