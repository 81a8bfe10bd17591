import { describe, expect, it, onTestFinished } from 'vitest';
import { createAudit } from '../../../src/audit/audit.ts';
import { installsOn } from '../../../src/cli/store-program.ts';
import { openDatabase } from '../../../src/database/open.ts';
import { createLog } from '../../../src/logging/log.ts';
import { createMetrics } from '../../../src/logging/metrics.ts';
import { Secret } from '../../../src/workspaces/data-keys.ts';
import { createWorkspaces } from '../../../src/workspaces/workspaces.ts';
import { unheard } from '../../audit/unheard.ts';
import { hasPostgres, postgresql } from '../../support/engines.ts';
import { forMany, read } from '../../support/settings.ts';
import { anInstall } from '../../workspaces/an-install.ts';

const ID = 'T1';
const [address, key] = ['https://service.example', new Secret('key')];
const account = { kind: 'cloud', address, key, connected: false, cloud: undefined } as const;

/** What one of several processes knows of workspaces. */
async function startProcess(url: string, hears: boolean) {
  const opened = await openDatabase(url);
  const database = hears ? opened : { ...opened, listen: () => () => undefined };
  const config = read(forMany);
  const { prepare } = createAudit({ database, now: Date.now, keptDays: 1, secret: '', report: unheard });
  let time = 0;
  const workspaces = createWorkspaces({
    ...config,
    database,
    prepare,
    log: createLog({ level: 'silent', secrets: [] }),
    metrics: createMetrics(),
    now: Date.now,
    elapsed: () => time,
  });
  onTestFinished(async () => {
    await workspaces.close();
    await opened.close();
  });
  return {
    installs: installsOn(database, config),
    workspaces,
    pass: (ms: number) => void (time += ms),
    /** Its token, and whether it has an account of its own. */
    async known() {
      const found = await workspaces.find(ID);
      return found && [found.slack.token, found.ownAccountId !== undefined];
    },
  };
}

const first = [`token of ${ID}`, false];
const changed = ['another token', true];

/** One process changes what another has just read. */
async function change(hears: boolean) {
  const url = await postgresql.newUrl();
  const [one, other] = [await startProcess(url, hears), await startProcess(url, hears)];
  expect(await other.known()).toBeUndefined();
  await one.installs.record(anInstall(ID));
  // Nothing is kept of a workspace that isn't there.
  expect(await other.known()).toEqual(first);
  await one.installs.record({ ...anInstall(ID), botToken: new Secret('another token') });
  await one.workspaces.ownAccounts?.change({ workspaceId: ID, userId: 'U2' }, account, 0);
  return { one, other };
}

describe.skipIf(!hasPostgres)('what is changed of a workspace in one of two processes', () => {
  it('is seen by the other at once where it hears of it', async () => {
    const { one, other } = await change(true);
    // Its clock stands still, so that it's the hint that makes it read: another one, since it may not have listened yet.
    const known = () => {
      one.workspaces.changed(ID);
      return other.known();
    };
    await expect.poll(known).toEqual(changed);
  });

  it('is seen by the other within five seconds where it hears nothing', async () => {
    const { other } = await change(false);
    other.pass(4_999);
    expect(await other.known()).toEqual(first);
    other.pass(1);
    expect(await other.known()).toEqual(changed);
  });
});
