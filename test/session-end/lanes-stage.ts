import { createLanes } from '../../src/session-end/lanes.ts';
import type { Attempt } from '../../src/session-end/lanes.ts';

export const PACE_MS = 1_000;
export const support = { workspaceId: 'T1', to: 'C1' };
export const random = { workspaceId: 'T1', to: 'C2' };
export const done: Attempt = { next: 'done' };

/** Lanes on a clock of the test's own; `answers` says what becomes of an entry's attempts, `done` where it is silent. */
export function lanesThat(
  answers: Readonly<Record<string, (attempts: number) => Attempt | Promise<Attempt>>> = {},
) {
  const attempted: { readonly id: string; readonly at: number; readonly attempts: number }[] = [];
  const lanes = createLanes({
    paceMs: PACE_MS,
    now: Date.now,
    async attempt(id, { attempts }) {
      attempted.push({ id, at: Date.now(), attempts });
      return answers[id]?.(attempts) ?? done;
    },
  });
  return { lanes, attempted, order: () => attempted.map(({ id, at }) => `${id} at ${at}`) };
}

export const again = (at: number, holdLane = false): Attempt => ({ next: 'again', at, holdLane });
