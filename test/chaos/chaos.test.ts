import { randomInt } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { PLANTS } from './plants.ts';
import { reportOf } from './report.ts';
import { runChaos } from './run.ts';
import type { Run } from './run.ts';

const SESSIONS = 24;

describe('sessions through kills, lost answers, a full disk and a wrong clock', { timeout: 600_000 }, () => {
  // A run waits more than it works: two at a time (see maxConcurrency) take little longer than one.
  it.concurrent.each([20_260_301, randomInt(1_000_000)])(
    'each have a summary where it belongs, or a reason on record (npm run chaos -- --sessions 24 --seed %i)',
    async (seed) => {
      const run = await runChaos({ seed, sessions: SESSIONS });
      for (const [kind, found] of run.known)
        process.stdout.write(`known: ${kind} ${found.length} (seed ${seed})\n`);
      expect(run.broken, `${reportOf(run)}\n${run.logPath}`).toEqual([]);
      expect(run.sessions).toBe(SESSIONS);
    },
  );
});

/** All that was found, what is known of included. */
const findingsOf = ({ broken, known }: Run) => [
  ...broken,
  ...[...known].flatMap(([kind, found]) => found.map((words) => `${kind}: ${words}`)),
];

describe('the verdict', { timeout: 300_000 }, () => {
  const calm = { seed: 5, sessions: 6, isCalm: true, killShare: 1 };
  it('finds nothing where nothing went wrong but that the app was killed after its acknowledgements', async () => {
    const run = await runChaos(calm);
    // A run lets hours pass in seconds, and the app believes a leap of its clock after ten minutes: digests wait for that.
    expect(findingsOf(run).filter((found) => !found.startsWith('digest:'))).toEqual([]);
    expect(run.posted).toBe(calm.sessions);
  });

  it.each([
    [
      'wrong-channel',
      /^place: the summary of session \d+ .* stands in C0CHAOSBAD1, where it does not belong$/u,
    ],
    ['early-acknowledgement', /^durability: session \d+ .* was acknowledged with 200, and is not in /u],
    ['card-left', /^cards: a card in C0CHAOS\d+ still promises the summary of session \d+ /u],
  ] as const)('names the fault that is planted: %s', async (plant, words) => {
    expect(PLANTS).toContain(plant);
    const found = findingsOf(await runChaos({ ...calm, plant }));
    expect(found).toContainEqual(expect.stringMatching(words));
  });
});
