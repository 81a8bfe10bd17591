import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../src/database/open.ts';
import { Sql, type Database } from '../../../src/database/database.ts';
import { checkedSandbox } from '../../support/checked-sandbox.ts';
import { engines, storeFor } from '../../support/engines.ts';
import { postgresPrograms } from '../../support/machine.ts';
import { startOwnPostgres } from '../../support/own-postgres.ts';
import { personIn, readable } from '../../support/person.ts';
import { untilAnswered } from '../../watch/asked-of-database.ts';
import { formIn, open, pressWatch, submit, watchOf } from '../../watch/opening.ts';

const WORDS = /can’t use its database/;

async function expectNotRecorded(answering: Promise<Response>): Promise<void> {
  const answer = await answering;
  const { status, headers } = answer;
  expect([status, headers.get('location'), headers.get('retry-after')]).toEqual([503, null, '60']);
  expect(await answer.text()).toMatch(WORDS);
}

describe.each(engines)('a page of a press, where one table is gone, in $engine', (engine) => {
  const storeUrl = storeFor(engine);
  const { sandbox, logLines } = checkedSandbox(() => ({ storeUrl: storeUrl() }));
  let other: Database | undefined;
  beforeAll(async () => {
    other = await openDatabase(storeUrl());
  });
  afterAll(() => other?.close());
  const rename = (from: string, to: string) =>
    other?.write(new Sql([`ALTER TABLE ${from} RENAME TO ${to}`], []));
  const tables = ['presses', 'ticket_uses', 'settings', 'watch_links', 'audit', 'deliveries'];

  it.each(tables.map((table, index) => [table, index] as const))('says so: %s', async (table, index) => {
    const { offer, address } = await watchOf(sandbox(), 'jane4821');
    await untilAnswered('INSERT INTO presses', () => pressWatch(sandbox(), offer, index * 1_000));
    await rename(table, `${table}_gone`);
    const answering = open(address);
    await answering;
    await rename(`${table}_gone`, table);
    await expectNotRecorded(answering);
    expect(logLines.join('')).not.toMatch(/unexpected failure|"outcome":"given"/);
  });
});

// If it's skipped, the run says so: see test/support/machine.ts.
describe.skipIf(postgresPrograms === undefined)('Watch, while its PostgreSQL server is down', () => {
  let server: Awaited<ReturnType<typeof startOwnPostgres>> | undefined;
  beforeAll(async () => {
    server = await startOwnPostgres();
  });
  const { sandbox, logLines } = checkedSandbox(() => ({ storeUrl: server?.url ?? '' }));
  // Where the test didn't get as far.
  afterAll(() => server?.close().catch(() => undefined));

  it('says on each of its pages, and in Slack, that nothing was done', async () => {
    const alex = personIn(sandbox());
    await alex.watch(await alex.type('/cobrowse watch jane4821'));
    const { offer, address: url } = await watchOf(sandbox(), 'jane4821');
    const question = await alex.watch(offer);
    const form = formIn(await question.text(), url);
    await server?.close();
    // Reading comes first here: nothing says that a record was tried.
    expect(await (await open(url)).text()).toContain('can’t use its database');
    await expectNotRecorded(open(url));
    await expectNotRecorded(submit(url));
    await expectNotRecorded(submit(form));
    const page: { answer?: Promise<Response> } = {};
    const told = await alex.see(async () => void (page.answer = alex.watch(offer)));
    expect(readable(told.blocks)).toMatch(/recorded|can’t save|database/);
    if (page.answer !== undefined) await expectNotRecorded(page.answer);
    expect(logLines.join('')).not.toContain('unexpected failure');
  });
});
