import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PATIENT_MS } from '../support/checked-sandbox.ts';
import { createLog } from '../../src/log.ts';
import { startSandbox } from '../../sandbox/sandbox.ts';
import { sqliteFile } from '../../src/database/open.ts';
import { storeInFile } from '../support/settings-values.ts';
import { personIn, readable } from '../support/person.ts';

const ways = ['audit', 'watch_links'] as const;

/** From now on the database takes no row of one table that names a link. */
function refuseLinks(storeUrl: string, table: (typeof ways)[number]): void {
  const other = new DatabaseSync(sqliteFile(storeUrl) ?? '');
  const condition = table === 'audit' ? `WHEN NEW.outcome = 'given'` : '';
  other.exec(`CREATE TRIGGER no_links BEFORE INSERT ON ${table} ${condition}
    BEGIN SELECT RAISE(ABORT, 'no room for it'); END`);
  other.close();
}

async function start(options: Parameters<typeof startSandbox>[0] = {}) {
  const sandbox = await startSandbox({
    paceMs: 0,
    pageWaitMs: PATIENT_MS,
    storeUrl: storeInFile(),
    ...options,
  });
  onTestFinished(() => sandbox.close());
  return sandbox;
}

const WORDS = 'couldn’t be recorded';

describe.each(ways)('a link of which the store does not take the record (%s)', (table) => {
  it('is not handed to the browser', async () => {
    const sandbox = await start();
    const alex = personIn(sandbox);
    const offer = await alex.type('/cobrowse watch jane4821');
    refuseLinks(sandbox.config.storeUrl, table);
    const answer = await alex.watch(offer);
    expect(answer.headers.get('location')).toBeNull();
    expect(answer.status).toBe(503);
    expect(await answer.text()).toContain(WORDS);
  });

  it('is in no line of the log as given', async () => {
    const lines: string[] = [];
    const log = createLog({
      level: 'info',
      secrets: [],
      destination: { write: (line) => void lines.push(line) },
    });
    const sandbox = await start({ log });
    const alex = personIn(sandbox);
    const given = () => lines.filter((line) => line.includes('"outcome":"given"')).length;
    const [first, second] = [
      await alex.type('/cobrowse watch jane4821'),
      await alex.type('/cobrowse watch noah'),
    ];
    expect((await alex.watch(first)).status).toBe(302);
    expect(given()).toBe(1);
    refuseLinks(sandbox.config.storeUrl, table);
    expect((await alex.watch(second)).status).toBe(503);
    expect(given()).toBe(1);
  });

  it('is not shown at a press that brings it into Slack, and has no card', async () => {
    const sandbox = await start({ socketMode: true });
    const alex = personIn(sandbox);
    const offer = await alex.type('/cobrowse watch jane4821');
    refuseLinks(sandbox.config.storeUrl, table);
    const answer = await alex.pressToReplace(offer, /^Watch/);
    expect(readable(answer.blocks)).toContain(WORDS);
    expect(JSON.stringify(answer)).not.toContain('http');
    expect(alex.messages().filter(({ ephemeral, text }) => !ephemeral && text.includes('Jane'))).toEqual([]);
  });

  it('is not brought by the button of a private message', async () => {
    const sandbox = await start();
    const alex = personIn(sandbox);
    const { url = '' } = alex.button(await alex.type('/cobrowse watch jane4821'), /^Watch/);
    const sent = await alex.see(() => fetch(url, { method: 'POST' }));
    refuseLinks(sandbox.config.storeUrl, table);
    const answer = await alex.pressToReplace(sent, /Get my link/);
    expect(readable(answer.blocks)).toContain(WORDS);
    expect(JSON.stringify(answer)).not.toContain('http');
  });
});

it('a proxy link of which the audit does not take the record is not handed out', async () => {
  const sandbox = await start({ service: { proxyEnabled: true } });
  const alex = personIn(sandbox);
  const offer = await alex.type('/cobrowse proxy https://shop.example/');
  refuseLinks(sandbox.config.storeUrl, 'audit');
  const answer = await alex.watch(offer, /^Start/);
  expect(answer.headers.get('location')).toBeNull();
  expect(await answer.text()).toContain(WORDS);
});
