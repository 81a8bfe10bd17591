import { describe, expect, it, onTestFinished } from 'vitest';
import { createAudit } from '../../../src/audit/audit.ts';
import { openDatabase } from '../../../src/database/open.ts';
import { createLog } from '../../../src/logging/log.ts';
import { createMetrics } from '../../../src/logging/metrics.ts';
import { settingOf } from '../../../src/workspaces/settings.ts';
import { createDataKeys, Secret } from '../../../src/workspaces/data-keys.ts';
import { createInstalls } from '../../../src/workspaces/installs.ts';
import { createWorkspaces } from '../../../src/workspaces/workspaces.ts';
import { unheard } from '../../audit/unheard.ts';
import { hasPostgres, postgresql } from '../../support/engines.ts';
import { forMany, read } from '../../support/settings.ts';
import { anInstall } from '../../workspaces/an-install.ts';

const ID = 'T1';
const ADMIN = { workspaceId: ID, userId: 'U2' };
const account = {
  kind: 'cloud',
  address: 'https://service.example',
  key: new Secret('key'),
  connected: false,
  cloud: undefined,
} as const;

/** What one of several processes knows of workspaces. */
async function startProcess(url: string, hears: boolean) {
  const opened = await openDatabase(url);
  const database = hears ? opened : { ...opened, listen: () => () => undefined };
  const config = read(forMany);
  const { prepare } = createAudit({ database, now: Date.now, keptDays: 1, secret: '', report: unheard });
  const installs = createInstalls({ database, dataKeys: createDataKeys(config.secretKeys), now: Date.now });
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
    installs,
    workspaces,
    pass: (ms: number) => void (time += ms),
    /** The tail of its token, and whether it has an account of its own. */
    async known() {
      const found = await workspaces.find(ID);
      return found && { token: found.slack.token, hasAccount: found.ownAccountId !== undefined };
    },
  };
}

const first = { token: `token of ${ID}`, hasAccount: false };
const changed = { token: 'another token', hasAccount: true };

describe.skipIf(!hasPostgres).each([postgresql])(
  'what is changed in one process over $engine',
  ({ newUrl }) => {
    /** One process changes what another has just read. */
    async function change(hears: boolean) {
      const url = await newUrl();
      const [one, other] = [await startProcess(url, hears), await startProcess(url, hears)];
      expect(await other.known()).toBeUndefined();
      await one.installs.record(anInstall(ID));
      // Nothing is kept of a workspace that isn't there.
      expect(await other.known()).toEqual(first);
      const rule = { members: false, ids: ['U9'] };
      await one.workspaces.settings.change(ADMIN, { name: settingOf('watch'), value: rule, version: 0 });
      expect((await other.workspaces.settingsOf(ID)).rules.watch).toEqual(rule);
      await one.installs.record({ ...anInstall(ID), botToken: new Secret(changed.token) });
      await one.workspaces.ownAccounts?.change(ADMIN, account, 0);
      return { one, other };
    }

    it('is seen by the others at once where they hear of it: settings, rules, an account and an install', async () => {
      const { one, other } = await change(true);
      // Its clock stands still, so that it's the hint that makes it read: another one, since it may not have listened yet.
      const known = () => {
        one.workspaces.changed(ID);
        return other.known();
      };
      await expect.poll(known).toEqual(changed);
    });

    it('is seen by the others within five seconds where they hear nothing', async () => {
      const { other } = await change(false);
      other.pass(4_999);
      expect(await other.known()).toEqual(first);
      other.pass(1);
      expect(await other.known()).toEqual(changed);
    });
  },
);
