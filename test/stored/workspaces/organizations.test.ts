import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { sql } from '../../../src/database/database.ts';
import { createDataKeys, Secret } from '../../../src/workspaces/data-keys.ts';
import { createHolds, markForPurge, type TokenAnswer } from '../../../src/workspaces/holds.ts';
import { createInstalls } from '../../../src/workspaces/installs.ts';
import { engines, sqlite, openUntilTestEnds } from '../../support/engines.ts';
import { FORM, JSON_TYPE, signedHeaders } from '../../support/signed.ts';
import { anInstall } from '../../workspaces/an-install.ts';
import { granted, known, manyStage, type Answers } from '../../workspaces/install-stage.ts';

const GRID = 'E0GRID00000';
const ACME = 'T0ACME00000';
const GLOBEX = 'T0GLOBEX000';
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

const ofGrid: Answers = {
  'oauth.v2.access': () => ({
    ...granted,
    team: null,
    enterprise: { id: GRID, name: 'Grid' },
    is_enterprise_install: true,
  }),
  'auth.test': () => ({ ...known, team_id: GRID, enterprise_id: GRID, is_enterprise_install: true }),
};

const NOT_INSTALLED = /isn’t installed in your workspace/;

async function appStage(answers: Answers = {}) {
  const storeUrl = await sqlite.newUrl();
  const many = await manyStage({
    storeUrl,
    settings: { ALLOWED_WORKSPACES: GRID },
    answers: { ...ofGrid, 'auth.teams.list': () => ({ teams: [] }), ...answers },
  });
  const { slack, config, now } = many;
  const send = (body: string, type: string) =>
    fetch(`${config.publicUrl}/slack/events`, {
      method: 'POST',
      headers: { 'content-type': type, ...signedHeaders('signing-secret', body, now()) },
      body,
    });
  let sent = 0;
  /** What somebody with a Grid id reads who asks for help there. */
  const answerIn = async (workspaceId: string) => {
    sent += 1;
    const before = slack.calls.length;
    const place = { team_id: workspaceId, enterprise_id: GRID, is_enterprise_install: 'true' };
    const form = new URLSearchParams({
      command: '/cobrowse',
      text: 'help',
      ...place,
      user_id: 'W0ALEX00001',
      channel_id: 'C0SUPPORT01',
      response_url: `${slack.apiUrl}reply?${sent}`,
    });
    await send(form.toString(), FORM);
    const replies = () => slack.calls.slice(before).filter(({ method }) => method.startsWith('reply'));
    await expect.poll(() => replies().length).toBe(1);
    return JSON.stringify(replies());
  };
  return {
    ...many,
    tell: (event: object) => {
      sent += 1;
      const authorizations = [{ enterprise_id: GRID, team_id: null, is_enterprise_install: false }];
      const envelope = { team_id: null, enterprise_id: GRID, event_id: `Ev${sent}`, authorizations };
      return send(JSON.stringify({ type: 'event_callback', ...envelope, event }), JSON_TYPE);
    },
    answerIn,
    answer: () => answerIn(ACME),
  };
}

describe('the app of an organization', () => {
  it('says where to add it to workspaces, and works in none before, in each while it’s given it', async () => {
    let teams: readonly object[] = [];
    const { install, answer, tell } = await appStage({ 'auth.teams.list': () => ({ teams }) });
    const { text } = await install();
    expect(text).toContain('It’s now in the organization Grid, and in none of its workspaces yet.');
    expect(text).toContain(`/manage/${GRID}/integrations/profile/A0COBROWSE1/workspaces/add`);
    expect(await answer()).toMatch(NOT_INSTALLED);
    teams = [{ id: ACME }];
    await tell({ type: 'team_access_granted', team_ids: [ACME] });
    await expect.poll(answer).not.toMatch(NOT_INSTALLED);
    teams = [];
    await tell({ type: 'team_access_revoked', team_ids: [ACME] });
    await expect.poll(answer).toMatch(NOT_INSTALLED);
  });

  it('is asked about, with all its workspaces, when Slack says that it was removed, and holds them', async () => {
    let isRemoved = false;
    const { install, answer, tell, config } = await appStage({
      'auth.test': (call) =>
        isRemoved ? { ok: false, error: 'token_revoked' } : (ofGrid['auth.test']?.(call) ?? {}),
      'auth.teams.list': () => ({ teams: [{ id: ACME }] }),
    });
    await install();
    await expect.poll(answer).not.toMatch(NOT_INSTALLED);
    isRemoved = true;
    await tell({ type: 'app_uninstalled' });
    const database = await openUntilTestEnds(config.storeUrl);
    const Held = z.object({ held: z.number() });
    const held = () => database.read(sql`SELECT COUNT(held_until) AS held FROM workspaces`, Held);
    await expect.poll(held).toEqual([{ held: 2 }]);
  });

  it('that is installed again is served at once in all the workspaces that the app knows', async () => {
    const { install, answerIn } = await appStage({
      'auth.teams.list': () => ({ teams: [{ id: ACME }, { id: GLOBEX }] }),
    });
    await install();
    for (const id of [ACME, GLOBEX]) await expect.poll(() => answerIn(id)).not.toMatch(NOT_INSTALLED);
    await install();
    for (const id of [ACME, GLOBEX]) expect(await answerIn(id)).not.toMatch(NOT_INSTALLED);
  });

  it('is asked again after a minute where Slack didn’t say to which workspaces it gives the app', async () => {
    let teams: object = { teams: [] };
    const { install, answer, tell, away, slack } = await appStage({ 'auth.teams.list': () => teams });
    await install();
    const asked = () => slack.called().filter((method) => method === 'auth.teams.list').length;
    await expect.poll(asked).toBeGreaterThan(0);
    teams = { ok: false, error: 'internal_error' };
    const before = asked();
    await tell({ type: 'team_access_granted', team_ids: [ACME] });
    await expect.poll(asked).toBe(before + 1);
    teams = { teams: [{ id: ACME }] };
    expect(await answer()).toMatch(NOT_INSTALLED);
    await away(61_000);
    await expect.poll(answer).not.toMatch(NOT_INSTALLED);
  });

  it('isn’t installed with a token of another one', async () => {
    const ofOther = { ...known, enterprise_id: 'E0OTHER0000' };
    const { install, slack } = await appStage({ 'auth.test': () => ofOther });
    expect((await install()).answer.status).toBe(400);
    expect(slack.called()).toEqual(['oauth.v2.access', 'auth.test', 'apps.uninstall']);
  });
});

describe.each(engines)('an organization that installed the app, in $engine', ({ newUrl }) => {
  async function stage() {
    const database = await openUntilTestEnds(await newUrl());
    let time = Date.UTC(2026, 2, 1, 12);
    const now = () => time;
    const installs = createInstalls({ database, dataKeys: createDataKeys(['k'.repeat(32)]), now });
    const refused = new Set<string>();
    /** As the app asks Slack: with the token that the workspace has. */
    async function ask(id: string): Promise<TokenAnswer> {
      const found = await installs.of(id);
      if (found === undefined) return 'unknown';
      return found.botToken === undefined || refused.has(found.botToken.reveal()) ? 'refused' : 'good';
    }
    const holds = createHolds({ database, ask, changed: () => undefined, now });
    const installGrid = (token = 'of the grid') =>
      installs.record({ ...anInstall(GRID), isOrganization: true, botToken: new Secret(token) });
    await installGrid();
    async function after(ms: number): Promise<void> {
      time += ms;
      await holds.askWhoIsDue();
    }
    return {
      installs,
      after,
      /** Slack refuses a token, also a minute later. */
      refuse: async (token: string, of: string) => {
        refused.add(token);
        await holds.markUncertain(of);
        await after(MINUTE_MS);
      },
      /** Gives it to these workspaces, and no others; said by Slack at that time. */
      giveTo: (workspaceIds: readonly string[], at: number) => installs.access.sync(GRID, workspaceIds, at),
      /** Whether anything of it is left 13 days after it was asked about and again a minute later, and after 15. */
      isLeft: async (id: string) => {
        const left: boolean[] = [];
        await after(0);
        await after(MINUTE_MS);
        for (const days of [13, 2]) {
          await after(days * DAY_MS);
          left.push((await installs.of(id)) !== undefined);
        }
        return left;
      },
      installGrid,
      purge: () => database.write(markForPurge(sql`id = ${GRID}`)),
      /** The token that is used there; undefined where the app isn't served. */
      tokenIn: async (id: string) => {
        const found = await installs.of(id);
        return found?.state === 'installed' ? found.botToken?.reveal() : undefined;
      },
    };
  }

  it('lends its token to each workspace that it gave the app, and to no other', async () => {
    const { installs, giveTo, tokenIn } = await stage();
    expect(await tokenIn(ACME)).toBeUndefined();
    await giveTo([ACME], 10);
    expect([await tokenIn(ACME), await tokenIn(GLOBEX)]).toEqual(['of the grid', undefined]);
    expect(await installs.counts()).toMatchObject({ installed: 1, organizations: 1 });
  });

  it('takes it back and gives it again: what is sealed with the workspace’s key stays readable', async () => {
    const { installs, giveTo, tokenIn } = await stage();
    await giveTo([ACME, GLOBEX], 10);
    const before = await installs.of(ACME);
    await giveTo([GLOBEX], 20);
    // Whatever answer comes last, it's heard by when Slack said it.
    await giveTo([ACME, GLOBEX], 15);
    expect([await tokenIn(ACME), await tokenIn(GLOBEX)]).toEqual([undefined, 'of the grid']);
    await giveTo([ACME, GLOBEX], 30);
    const after = await installs.of(ACME);
    expect(await tokenIn(ACME)).toBe('of the grid');
    expect(after?.installId).toBe(before?.installId);
    expect(after?.dataKey?.equals(before?.dataKey ?? Object(undefined))).toBe(true);
  });

  it('stands behind a workspace’s own installation, and takes its place once that is removed', async () => {
    const { installs, giveTo, tokenIn, refuse } = await stage();
    await giveTo([ACME], 10);
    await installs.record(anInstall(ACME));
    expect(await tokenIn(ACME)).toBe(`token of ${ACME}`);
    await refuse(`token of ${ACME}`, ACME);
    expect(await tokenIn(ACME)).toBe('of the grid');
  });

  it('that removes the app ends all of its workspaces, except one that installed it itself, and has given a new one to none yet', async () => {
    const { installs, giveTo, installGrid, tokenIn, refuse, after } = await stage();
    await giveTo([ACME, GLOBEX, 'T0OWN000000'], 10);
    await installs.record(anInstall('T0OWN000000'));
    await refuse('of the grid', GRID);
    expect([await tokenIn(ACME), await tokenIn(GLOBEX)]).toEqual([undefined, undefined]);
    expect(await tokenIn('T0OWN000000')).toBe('token of T0OWN000000');
    await installGrid('another');
    await after(DAY_MS);
    expect(await tokenIn(ACME)).toBeUndefined();
    await giveTo([ACME], 20);
    expect(await tokenIn(ACME)).toBe('another');
  });

  it('that is purged leaves its workspaces without a token, and what is theirs for 14 days', async () => {
    const { giveTo, purge, tokenIn, isLeft, after } = await stage();
    await giveTo([ACME], 10);
    await purge();
    expect(await tokenIn(ACME)).toBeUndefined();
    // Its daily check.
    await after(DAY_MS);
    expect(await isLeft(ACME)).toEqual([true, false]);
  });

  it('leaves a workspace that it took the app from 14 days, and then nothing of it', async () => {
    const { giveTo, isLeft } = await stage();
    await giveTo([ACME], 10);
    await giveTo([], 20);
    expect(await isLeft(ACME)).toEqual([true, false]);
  });
});
