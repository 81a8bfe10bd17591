import { POSTS, awaitAsked, callsSoFar } from './asked.ts';
import type { Measured } from './child.ts';
import { createClicks } from './click.ts';
import { judged, section, table } from './report.ts';
import { APP, type Surroundings } from './surroundings.ts';
import { linksIn } from './tickets.ts';
import { webhookOf } from './webhook-request.ts';

const TIMES = 20;

interface Made {
  readonly statements: number;
  readonly commits: number;
  readonly writtenKib: number;
  readonly slack: number;
  readonly service: number;
}

/** What each of so many acts came to, one after the other, with what followed from it. */
async function countOf(
  { upstream }: Surroundings,
  measured: Measured,
  act: (number: number) => Promise<unknown>,
): Promise<Made> {
  const [before, called] = [await measured.usage(), await callsSoFar(upstream)];
  for (let number = 0; number < TIMES; number += 1) {
    const isPosted = await awaitAsked(upstream, POSTS, 1);
    await act(number);
    await isPosted();
  }
  const [after, calls] = [await measured.usage(), await callsSoFar(upstream)];
  return {
    statements: (after.statements - before.statements) / TIMES,
    commits: (after.commits - before.commits) / TIMES,
    writtenKib: (after.writtenKib - before.writtenKib) / TIMES,
    slack: (calls.slack - called.slack) / TIMES,
    service: (calls.service - called.service) / TIMES,
  };
}

const line = (what: string, made: Made, most: readonly [statements: number, commits: number]) => [
  what,
  judged(made.statements.toFixed(1), made.statements, { atMost: most[0] }),
  judged(made.commits.toFixed(1), made.commits, { atMost: most[1] }),
  `${made.writtenKib.toFixed(0)} KiB`,
  made.slack.toFixed(1),
  made.service.toFixed(1),
];

/** What one act makes of statements, commits, disk and calls. */
export async function benchStatements(around: Surroundings): Promise<string> {
  const { loader, measuring } = around;
  const [click, webhook] = await measuring(
    APP,
    async (measured) => {
      const clicks = createClicks(around, 'ours', measured);
      const clickOnce = async () => loader.put(await clicks(0, 1, 1), measured);
      const channels = Array.from({ length: TIMES }, (_, number) => `C0TOLD${number}`);
      const webhooks = linksIn(channels, 2 * TIMES).map(webhookOf);
      const send = (from: number) => (number: number) =>
        loader.put(
          { requests: webhooks.slice(from + number), total: 1, atOnce: 1, status: 200, from: from + number },
          measured,
        );
      // By the second time people and channels are known.
      await countOf(around, measured, clickOnce);
      const ofClick = await countOf(around, measured, clickOnce);
      await countOf(around, measured, send(0));
      return [ofClick, await countOf(around, measured, send(TIMES))];
    },
    { watch: 'statements' },
  );
  return section(
    'G4. Statements and commits',
    table(
      ['', 'statements', 'commits', 'written', 'calls to Slack', 'calls to the service'],
      [
        line('a click with its press and its card', click, [8, 2]),
        line('a webhook with its summary', webhook, [12, 3]),
      ],
    ),
    `On SQLite, by counting in the process: ${TIMES} one after the other, each with its post and what the worker looks up meanwhile. Calls of a click (the rest of G5): at most 3 to Slack and 1 to the service.`,
  );
}
