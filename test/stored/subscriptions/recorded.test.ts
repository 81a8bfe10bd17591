import type { KnownBlock } from '@slack/types';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { sql, type Database } from '../../../src/database/database.ts';
import { openAuditBeside } from '../../support/audit-beside.ts';
import { engines } from '../../support/engines.ts';
import { ALEX, SUPPORT, readable } from '../../support/person.ts';
import { RANDOM, openStage } from '../../subscriptions/stage.ts';

type Stage = Awaited<ReturnType<typeof openStage>>;

const Row = z.object({ number: z.number(), channel_id: z.string(), paused_reason: z.string().nullable() });

const subscriptionsIn = (database: Database) =>
  database.read(sql`SELECT number, channel_id, paused_reason FROM subscriptions ORDER BY number`, Row);

const subscribe = ({ alex }: Stage) => alex.type('/cobrowse subscribe #support');
const remove = ({ alex }: Stage) => alex.type('/cobrowse unsubscribe 1');
const pause = (database: Database) =>
  database.write(sql`UPDATE subscriptions SET paused_reason = 'restricted_action', paused_since = 1`);

/** Moves the subscription by its form, and gives what the form says then. */
async function move({ alex, sandbox: { slack } }: Stage) {
  await alex.press(await alex.type('/cobrowse subscriptions'), /^Edit subscription 1/);
  const { id } = await alex.modal((view) => view.submit !== undefined && view.title === 'Edit subscription');
  const input = { type: 'conversations_select', selected_conversation: RANDOM };
  await slack.submit({ as: ALEX, view_id: id, state: { channel: { value: input } } });
  const answer = await alex.modal(
    (view) => view.id === id && view.submit === undefined && !readable(view.blocks).includes('Saving…'),
  );
  await slack.closeView({ as: ALEX, view_id: id });
  return answer;
}

interface Change {
  readonly outcome: string;
  readonly before?: (stage: Stage, database: Database) => Promise<unknown>;
  readonly act: (stage: Stage) => Promise<{ readonly blocks: readonly KnownBlock[] }>;
  readonly after: readonly z.infer<typeof Row>[];
}

const active = { number: 1, channel_id: SUPPORT, paused_reason: null };

const changes: readonly Change[] = [
  { outcome: 'set-up', act: subscribe, after: [active] },
  { outcome: 'edited', before: subscribe, act: move, after: [{ ...active, channel_id: RANDOM }] },
  { outcome: 'removed', before: subscribe, act: remove, after: [] },
  {
    outcome: 'resumed',
    before: async (stage, database) => {
      await subscribe(stage);
      await pause(database);
    },
    act: async ({ alex }) =>
      alex.pressFor(await alex.type('/cobrowse subscriptions'), /^Resume subscription 1/),
    after: [active],
  },
];

describe.each(engines)('a subscription in $engine', ({ newUrl }) => {
  it.each(changes)('is $outcome if that can be recorded, and not otherwise', async (change) => {
    const storeUrl = await newUrl();
    const stage = await openStage({ storeUrl });
    const { database, recorded, whileRefusing } = await openAuditBeside(storeUrl);
    const isLogged = () =>
      stage.logLines.some(
        (line) => line.includes('"action":"subscription"') && line.includes(`"outcome":"${change.outcome}"`),
      );
    await change.before?.(stage, database);
    const [rows, entries] = [await subscriptionsIn(database), await recorded('subscription')];

    const posts = () => [SUPPORT, RANDOM].flatMap((channel) => stage.posts(channel));
    const before = new Set(posts().map(({ ts }) => ts));
    const refused = await whileRefusing(() => change.act(stage));
    expect(readable(refused.blocks)).toContain('This wasn’t done: the app can’t use its database');
    expect(await subscriptionsIn(database)).toEqual(rows);
    expect(await recorded('subscription')).toEqual(entries);
    expect(isLogged()).toBe(false);
    for (const { text } of posts().filter(({ ts }) => !before.has(ts)))
      expect(text).toMatch(/tried to (?:set up|resume)/);

    const done = await change.act(stage);
    expect(readable(done.blocks)).not.toContain('can’t use its database');
    expect(await subscriptionsIn(database)).toEqual(change.after);
    expect(await recorded('subscription')).toEqual([...entries, `${change.outcome} by ${ALEX}`]);
    expect(isLogged()).toBe(true);
  });
});

describe.each(engines)('a subscription that cannot be read, in $engine', ({ newUrl }) => {
  it('leaves the others as they are, and is left where it is', async () => {
    const storeUrl = await newUrl();
    const { alex } = await openStage({ storeUrl });
    const { database } = await openAuditBeside(storeUrl);
    await alex.type('/cobrowse subscribe #random');
    await alex.type('/cobrowse subscribe short');
    await alex.type('/cobrowse subscribe all');
    await database.write(
      sql`UPDATE subscriptions SET filter = '{"countries":["NL"]}', version = version + 1 WHERE number = 2`,
      sql`UPDATE subscriptions SET filter = 'broken', version = version + 1 WHERE number = 3`,
    );
    const list = await alex.type('/cobrowse subscriptions');
    expect(list.text).toContain(`1. <#${RANDOM}>: summaries of all co-browsing sessions, in full.`);
    expect(list.text).not.toContain('2. ');
    expect((await alex.type('/cobrowse unsubscribe 2')).text).toContain('I can’t find that subscription');
    expect(await subscriptionsIn(database)).toHaveLength(3);
  });
});
