import { randomInt } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { pgbouncerPath, postgresPrograms } from '../../support/machine.ts';
import { PLANTS } from '../../chaos/plants.ts';
import { reportOf } from '../../chaos/report.ts';
import { runChaos } from '../../chaos/run.ts';

const SESSIONS = 24;
/** Fewer where three processes share the cores, and what one of them had begun waits half a minute after it's killed. */
const ON_SERVER = 10;
/** Nothing goes wrong but that the app is killed after its acknowledgements. */
const calm = { seed: 5, sessions: 3, isCalm: true, killShare: 1 };
const UNKEPT = /^durability: session \d+ .* was acknowledged with 200, and is not in /u;

/** A run waits more than it works: some at a time (see maxConcurrency) take little longer than one. */
const sideBySide = { timeout: 1_800_000, concurrent: true };

describe('sessions through kills, lost answers, a full disk and a wrong clock', sideBySide, () => {
  it.each([20_260_301, randomInt(1_000_000)])(
    'each have a summary where it belongs, or a reason on record (npm run chaos -- --sessions 24 --seed %i)',
    async (seed) => {
      const run = await runChaos({ seed, sessions: SESSIONS });
      expect(run.broken, `${reportOf(run)}\n${run.logPath}`).toEqual([]);
      expect(run.sessions).toBe(SESSIONS);
    },
  );
});

describe.skipIf(postgresPrograms === undefined)(
  'sessions in two workspaces, over processes on a PostgreSQL server that is killed',
  sideBySide,
  () => {
    it('each have a summary where it belongs, or a reason on record, and each is there once', async () => {
      const run = await runChaos({ seed: 3, sessions: ON_SERVER, processes: 3, onPostgres: true });
      expect(run.broken, `${reportOf(run)}\n${run.logPath}`).toEqual([]);
      expect(run.sessions).toBe(ON_SERVER);
    });

    it.skipIf(pgbouncerPath === undefined)('do so behind a connection pooler, too', async () => {
      const run = await runChaos({ seed: 11, sessions: 6, processes: 2, onPostgres: true, isPooled: true });
      expect(run.broken, `${reportOf(run)}\n${run.logPath}`).toEqual([]);
      expect(run.sessions).toBe(6);
    });

    it.each([
      ['early-acknowledgement', 1, UNKEPT],
      // Nobody is killed: it would only take longer.
      ['wrong-workspace', 0, /^place: a \w+ of session \d+ stands in a workspace/u],
    ] as const)(
      'have a verdict that names the fault that is planted: %s',
      async (plant, killShare, words) => {
        const one = { ...calm, sessions: 1, killShare, processes: 2, onPostgres: true };
        const { broken } = await runChaos({ ...one, plants: [plant] });
        expect(broken).toContainEqual(expect.stringMatching(words));
      },
    );
  },
);

describe('the verdict', sideBySide, () => {
  it('finds nothing where nothing went wrong but that the app was killed after its acknowledgements', async () => {
    const run = await runChaos(calm);
    expect(run.broken).toEqual([]);
    expect(run.posted).toBe(calm.sessions);
  });

  it.each([
    [
      'a place, a webhook and a link',
      {
        'wrong-channel':
          /^place: the summary of session \d+ .* stands in C0CHAOSBAD1, where it does not belong$/u,
        'webhook-dropped': /^webhooks: the end of session \d+ .* didn't arrive$/u,
        'link-left-open': /^links: the link of session [\w-]+ is open, and the session ended$/u,
      },
    ],
    [
      'a card, a pause and an event',
      {
        'card-left': /^cards: a card in C0CHAOS\d+ still promises the summary of session \d+ /u,
        'paused-gets-posts': /^changing: session \d+ .* went to a subscription that was paused$/u,
        'webhook-id-changes': /^webhooks: the event .* has 2 ids: msg_\w+, msg_\w+_again$/u,
      },
    ],
    ['an acknowledgement', { 'early-acknowledgement': UNKEPT }],
  ])('names each fault that is planted, in %s', async (_where, planted) => {
    const plants = PLANTS.filter((plant) => plant in planted);
    expect(plants).toHaveLength(Object.keys(planted).length);
    const { broken } = await runChaos({ ...calm, plants });
    for (const words of Object.values(planted)) expect(broken).toContainEqual(expect.stringMatching(words));
  });
});
