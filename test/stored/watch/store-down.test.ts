import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../src/database/open.ts';
import { Sql, type Database } from '../../../src/database/database.ts';
import { checkedSandbox } from '../../support/checked-sandbox.ts';
import { engines, storeFor } from '../../support/engines.ts';
import { readable } from '../../support/person.ts';
import { untilAnswered } from '../../watch/asked-of-database.ts';
import { open, pressWatch, watchOf } from '../../watch/opening.ts';

describe.each(engines)('Watch, where one table is gone, in $engine', (engine) => {
  const storeUrl = storeFor(engine);
  const { sandbox, logLines } = checkedSandbox(() => ({ storeUrl: storeUrl() }));
  let other: Database | undefined;
  beforeAll(async () => {
    other = await openDatabase(storeUrl());
  });
  afterAll(() => other?.close());
  const rename = (from: string, to: string) =>
    other?.write(new Sql([`ALTER TABLE ${from} RENAME TO ${to}`], []));
  async function without<T>(table: string, work: () => Promise<T>): Promise<T> {
    await rename(table, `${table}_gone`);
    const worked = await work();
    await rename(`${table}_gone`, table);
    return worked;
  }
  const tables = ['presses', 'ticket_uses', 'settings', 'watch_links', 'audit', 'deliveries'];

  it.each(tables.map((table, index) => [table, index] as const))(
    'says so on its page: %s',
    async (table, index) => {
      const { offer, address } = await watchOf(sandbox(), 'jane4821');
      await untilAnswered('INSERT INTO presses', () => pressWatch(sandbox(), offer, index * 1_000));
      const answer = await without(table, () => open(address));
      const { status, headers } = answer;
      expect([status, headers.get('location'), headers.get('retry-after')]).toEqual([503, null, '60']);
      expect(await answer.text()).toContain('can’t use its database');
      expect(logLines.join('')).not.toMatch(/unexpected failure|"outcome":"given"/);
    },
  );

  it('says so in Slack, where the press couldn’t be saved', async () => {
    const { person, offer } = await watchOf(sandbox(), 'priya55');
    const told = await without('presses', () => person.see(() => pressWatch(sandbox(), offer)));
    expect(readable(told.blocks)).toContain('can’t use its database');
  });
});
