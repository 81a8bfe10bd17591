import { randomInt } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { reportOf } from './report.ts';
import { runChaos } from './run.ts';

const SESSIONS = 60;

describe('sessions through kills, lost answers, a full disk and a wrong clock', { timeout: 180_000 }, () => {
  it.each([20_260_301, randomInt(1_000_000)])(
    'each have a summary, or a reason in the ledger (npm run chaos -- --sessions 60 --seed %i)',
    async (seed) => {
      const run = await runChaos({ seed, sessions: SESSIONS });
      expect(run.broken, `${reportOf(run)}\n${run.logPath}`).toEqual([]);
      expect(run.sessions).toBe(SESSIONS);
    },
  );
});
