import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { DatabaseError, sql, type Database } from '../../../src/database/database.ts';
import { Secret, createDataKeys } from '../../../src/workspaces/data-keys.ts';
import { createHolds, markForPurge, type TokenAnswer } from '../../../src/workspaces/holds.ts';
import { createInstalls } from '../../../src/workspaces/installs.ts';
import { createRotation } from '../../../src/workspaces/rotation.ts';
import { createSlackAgent, webClientOptions } from '../../../src/workspaces/web-client.ts';
import { keptLog } from '../../support/checked-sandbox.ts';
import { engines, onlySqlite, openUntilTestEnds } from '../../support/engines.ts';
import { anInstall } from '../../workspaces/an-install.ts';
import { manyStage } from '../../workspaces/install-stage.ts';
import { SECONDS, refreshesOf, rotating, rotatingSlack, typed } from '../../workspaces/rotating-slack.ts';

const ACME = 'T0ACME00000';
const START = Date.UTC(2026, 2, 1, 12);
const HOUR_MS = 60 * 60_000;
const Row = z.record(z.string(), z.unknown());
const app = { clientId: '1.2', clientSecret: 'client-secret' };
const oauth = { ...app, authorizeUrl: '', allowed: [], publicUrl: 'https://app.example' };

describe.each(engines)('tokens that end, in $engine', ({ newUrl }) => {
  async function stage({ rotates = true, of: ownerId = ACME } = {}) {
    const storeUrl = await newUrl();
    const slack = await rotatingSlack();
    const { log, lines } = keptLog();
    let time = START;
    const now = () => time;
    const database = await openUntilTestEnds(storeUrl);
    const installsOn = (of: Database) =>
      createInstalls({ database: of, dataKeys: createDataKeys(['k'.repeat(32)]), now });
    /** Of a process. */
    const rotationOn = (of: Database) =>
      createRotation({
        database: of,
        installs: installsOn(of),
        oauth,
        clientOptions: webClientOptions({ apiUrl: slack.apiUrl, slackAgent: createSlackAgent(), log }),
        log,
        now,
      });
    const installs = installsOn(database);
    const install = () =>
      installs.record({
        ...anInstall(ownerId),
        isOrganization: ownerId.startsWith('E'),
        botToken: new Secret(slack.token()),
        ...(rotates && { refreshToken: new Secret(slack.refreshToken()), tokenEndsAt: time + 12 * HOUR_MS }),
      });
    await install();
    const found = async () => {
      const one = await installs.of(ACME);
      if (one === undefined) throw new Error('It isn’t installed.');
      return one;
    };
    let answer: TokenAnswer = 'good';
    const holds = createHolds({ database, ask: async () => answer, changed: () => undefined, now });
    const endClaim = () => database.write(sql`UPDATE workspaces SET refreshing_until = 0`);
    const rotation = rotationOn(database);
    return {
      database,
      slack,
      lines,
      install,
      installs,
      found,
      rotation,
      rotationOn,
      holds,
      /** What Slack says of the token a while later. */
      says: async (next: TokenAnswer, ms = 60_000) => {
        answer = next;
        time += ms;
        await holds.askWhoIsDue();
      },
      tokenNow: async () => (await found()).botToken?.reveal(),
      row: async (id = ownerId) =>
        (await database.read(sql`SELECT * FROM workspaces WHERE id = ${id}`, Row))[0],
      pass: (ms: number) => void (time += ms),
      /** Once the time has passed after which another process may try. */
      runAgain: async () => {
        await endClaim();
        await rotation.job.run();
      },
      endClaim,
    };
  }

  it('are kept sealed, each in its own column, and go with the workspace', async () => {
    const { database, found, row } = await stage();
    const { refreshToken, tokenEndsAt, state } = await found();
    expect(refreshToken?.reveal()).toBe('xoxe-1-topsecret0');
    expect([tokenEndsAt, state]).toEqual([START + 12 * HOUR_MS, 'installed']);
    expect(JSON.stringify(await row())).not.toContain('topsecret');
    await database.write(sql`UPDATE workspaces SET refresh_token = bot_token`);
    expect((await found()).refreshToken).toBeUndefined();
    await database.write(markForPurge(sql`id = ${ACME}`));
    expect(await row()).toMatchObject({ bot_token: null, refresh_token: null });
  });

  it('are replaced two hours before, both at once, and nobody’s secret is in the log', async () => {
    const { rotation, slack, found, row, pass, lines } = await stage();
    pass(10 * HOUR_MS - 1);
    await rotation.job.run();
    expect(slack.calls).toEqual([]);
    pass(1);
    await rotation.job.run();
    await rotation.job.run();
    expect(slack.refreshes()).toBe(1);
    const renewed = await found();
    expect(renewed.botToken?.reveal()).toBe('xoxe.xoxb-1-topsecret1');
    expect(renewed.refreshToken?.reveal()).toBe('xoxe-1-topsecret1');
    expect(renewed.tokenEndsAt).toBe(START + 10 * HOUR_MS + SECONDS * 1_000);
    expect(await row()).toMatchObject({ refreshing_until: null, held_until: null });
    expect(lines.join('')).not.toMatch(/topsecret|client-secret/);
  });

  it('are replaced once, however many calls in several processes find that one has ended', async () => {
    const { rotationOn, database, slack, found } = await stage();
    const seen = await found();
    slack.end();
    const processes = Array.from({ length: 10 }, () => rotationOn(database));
    const tokens = await Promise.all(processes.map((process) => process.tokenAfter(seen)));
    expect(tokens.map((token) => token?.reveal())).toEqual(Array(10).fill('xoxe.xoxb-1-topsecret1'));
    expect(slack.refreshes()).toBe(1);
    // A call that had begun before, where Slack ends the old one at once.
    const late = await processes[0]?.tokenAfter(seen);
    expect(late?.reveal()).toBe('xoxe.xoxb-1-topsecret1');
  });

  it('are written once the database can be written to again', async () => {
    const { database, rotationOn, tokenNow, pass } = await stage();
    let failures = 2;
    const failing: Database = {
      ...database,
      async write(...statements) {
        if (statements[0]?.sql.includes('SET bot_token') && (failures -= 1) > 0)
          throw new DatabaseError('locked');
        return database.write(...statements);
      },
    };
    pass(10 * HOUR_MS);
    await rotationOn(failing).job.run();
    expect(await tokenNow()).toBe('xoxe.xoxb-1-topsecret1');
  });

  it('are asked for again after a while where Slack couldn’t be reached', async () => {
    const { rotation, slack, found, pass, runAgain, tokenNow } = await stage();
    pass(10 * HOUR_MS);
    slack.from('is away');
    await rotation.job.run();
    slack.from('answers');
    await rotation.job.run();
    expect(slack.refreshes()).toBe(1);
    expect(await found()).toMatchObject({ version: '1', state: 'installed' });
    await runAgain();
    expect(await tokenNow()).toBe('xoxe.xoxb-1-topsecret1');
  });

  it('are lost where Slack’s answer is: the workspace waits, until the app is installed again', async () => {
    const { rotation, slack, found, row, pass, runAgain, says, install, lines } = await stage();
    pass(10 * HOUR_MS);
    slack.from('loses');
    await rotation.job.run();
    await runAgain();
    expect(await found()).toMatchObject({ state: 'reinstall', refreshToken: undefined });
    expect(await row()).toMatchObject({ held_reason: 'invalid_refresh_token' });
    expect(lines.join('')).toContain('"installUrl":"https://app.example/slack/install"');
    // Whether the old token still works for a while, or is taken back, says nothing.
    for (const answer of ['good', 'refused'] as const) {
      await says(answer);
      expect(await row()).toMatchObject({ held_until: expect.any(Number), gone_at: null });
    }
    await says('removed');
    expect(await row()).toMatchObject({ gone_at: expect.any(Number) });
    expect(slack.refreshes()).toBe(2);
    await install();
    expect(await found()).toMatchObject({ state: 'installed' });
    expect(await row()).toMatchObject({ held_until: null, gone_at: null });
  });

  it('are refused where the app was removed: then all of the workspace goes as ever', async () => {
    const { rotation, slack, found, row, says } = await stage();
    // Slack takes back all that it gave.
    slack.from('loses');
    await fetch(`${slack.apiUrl}oauth.v2.access`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: slack.refreshToken() }),
    }).catch(() => undefined);
    expect(await rotation.tokenAfter(await found())).toBeUndefined();
    expect(await found()).toMatchObject({ state: 'reinstall', refreshUnclear: false });
    await says('refused');
    expect(await row()).toMatchObject({ gone_at: expect.any(Number), purging: null });
    await says('refused', 15 * 24 * HOUR_MS);
    expect(await row()).toMatchObject({ purging: 1 });
  });

  it('of an organization are replaced once for all its workspaces, and lost for all of them', async () => {
    const { installs, rotation, slack, endClaim, holds, says, row } = await stage({ of: 'E0ACME' });
    const workspaceIds = ['T1', 'T2'];
    await installs.access.sync('E0ACME', workspaceIds, START);
    const read = async () => {
      const all = await Promise.all(workspaceIds.map((id) => installs.of(id)));
      return all.flatMap((one) => one ?? []);
    };
    const before = await read();
    slack.end();
    const tokens = await Promise.all(before.map((seen) => rotation.tokenAfter(seen)));
    expect(tokens.map((token) => token?.reveal())).toEqual(Array(2).fill('xoxe.xoxb-1-topsecret1'));
    expect(slack.refreshes()).toBe(1);
    slack.from('loses');
    const [one] = await read();
    slack.end();
    expect(one && (await rotation.tokenAfter(one))).toBeUndefined();
    await endClaim();
    expect(one && (await rotation.tokenAfter(one))).toBeUndefined();
    expect((await read()).map(({ state }) => state)).toEqual(['reinstall', 'reinstall']);
    await says('refused', 0);
    await holds.markUncertain('T1');
    await says('refused');
    expect(await row('T1')).toMatchObject({ gone_at: null });
  });

  it('that a workspace has beside its organization’s are lost without harm: those serve', async () => {
    const { installs, rotation, slack, found, runAgain, pass } = await stage();
    await installs.record({ ...anInstall('E0ACME'), isOrganization: true });
    await installs.access.sync('E0ACME', [ACME], START);
    slack.from('loses');
    pass(10 * HOUR_MS);
    await rotation.job.run();
    await runAgain();
    expect(await found()).toMatchObject({ state: 'installed', organizationId: 'E0ACME' });
  });

  it('are written whatever else of the workspace changed meanwhile, but not where the app was installed again', async () => {
    const { installs, install, found, tokenNow } = await stage();
    const before = await found();
    await installs.record({ ...anInstall('E0ACME'), isOrganization: true });
    await installs.access.sync('E0ACME', [ACME], START);
    await installs.replaceTokens(before, { botToken: new Secret('next') });
    expect(await tokenNow()).toBe('next');
    const then = await found();
    await install();
    await installs.replaceTokens(then, { botToken: new Secret('late') });
    await installs.loseTokens(then, 'invalid_refresh_token');
    expect(await tokenNow()).toBe('xoxe.xoxb-1-topsecret0');
    expect((await found()).state).toBe('installed');
  });

  it('aren’t asked for where a token doesn’t end: one that’s refused holds its workspace', async () => {
    const { rotation, slack, found, row } = await stage({ rotates: false });
    expect(await rotation.tokenAfter(await found())).toBeUndefined();
    await expect.poll(async () => (await row())?.['held_until']).not.toBeNull();
    await rotation.job.run();
    expect(slack.calls).toEqual([]);
  });
});

describe.each(onlySqlite)('a workspace whose token ends', ({ newUrl }) => {
  async function stage(firstSeconds?: number) {
    const storeUrl = await newUrl();
    const tokens = rotating(firstSeconds);
    const many = await manyStage({ storeUrl, answers: tokens.answers });
    await many.install();
    const database = await openUntilTestEnds(storeUrl);
    const { publicUrl = '' } = many.config;
    return {
      ...tokens,
      ...many,
      type: (id: string) => typed(many.slack, { publicUrl, id, at: many.now() }),
      endClaim: () => database.write(sql`UPDATE workspaces SET refreshing_until = 0`),
      row: async () => (await database.read(sql`SELECT * FROM workspaces`, Row))[0],
    };
  }

  it('has the next one before it ends', async () => {
    const { slack, token } = await stage(7_199);
    await expect.poll(() => refreshesOf(slack)).toBe(1);
    expect(token()).toBe('xoxe.xoxb-1-topsecret2');
  });

  it('is told to install the app again where Slack gives no new one, and works once it has', async () => {
    const { type, end, from, install, endClaim, config } = await stage();
    end();
    from('loses');
    await expect.poll(await type('unknown-yet')).toContain('check your permission');
    from('answers');
    await endClaim();
    for (const id of ['first', 'second']) {
      const answer = await type(id);
      await expect.poll(answer).toContain('A workspace admin can');
      expect(answer()).toContain(`${config.publicUrl}/slack/install`);
    }
    await install();
    await expect.poll(await type('after')).toContain('can’t reach the co-browsing service');
  });

  it('and that removed the app while that was away goes for good, though Slack only says that it ended', async () => {
    const { end, from, away, row } = await stage();
    end();
    from('refuses');
    await away(13 * HOUR_MS);
    await expect.poll(row).toMatchObject({ refresh_token: null, held_until: expect.any(Number) });
    await away(61_000);
    await expect.poll(row).toMatchObject({ gone_at: expect.any(Number), purging: null });
    await away(15 * 24 * HOUR_MS);
    await expect.poll(row).toMatchObject({ purging: 1, bot_token: null });
  });
});
