import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { sql } from '../../../src/database/database.ts';
import { NEEDED_SCOPES } from '../../../src/slack/setup-state.ts';
import { onlySqlite, engines, sqlite, openUntilTestEnds } from '../../support/engines.ts';
import { ACME, TOKEN, granted, known, manyStage, type Answers } from '../../workspaces/install-stage.ts';

const MINUTE_MS = 60_000;
const Row = z.record(z.string(), z.unknown());

describe.each(onlySqlite)('GET /slack/install', () => {
  it('leads to Slack with the manifest’s scopes, and gives the browser a cookie of its own', async () => {
    const { begin, config, slack } = await manyStage();
    const { answer, to } = await begin();
    expect(answer.status).toBe(302);
    expect(to.origin + to.pathname).toBe('https://slack.example/oauth/v2/authorize');
    expect(Object.fromEntries(to.searchParams)).toMatchObject({
      client_id: '1.2',
      scope: NEEDED_SCOPES.join(','),
      redirect_uri: `${config.publicUrl}/slack/oauth_redirect`,
    });
    expect(answer.headers.get('set-cookie')).toMatch(
      /^install-[\w-]{8}=[\w-]{32}; Path=\/slack\/oauth_redirect; Max-Age=600; HttpOnly; SameSite=Lax$/,
    );
    expect(slack.calls).toEqual([]);
  });

  it('isn’t there for an app with one workspace’s token', async () => {
    const none = { SLACK_CLIENT_ID: '', SLACK_CLIENT_SECRET: '', ALLOWED_WORKSPACES: '' };
    const { get } = await manyStage({ settings: { ...none, SLACK_BOT_TOKEN: TOKEN } });
    expect((await get('/slack/install')).status).toBe(404);
  });
});

describe.each(engines)('a workspace that installs the app, in $engine', ({ newUrl }) => {
  it('is told so, and where the app is in Slack; its token is nowhere to be read, and again it’s the same workspace', async () => {
    const storeUrl = await newUrl();
    const { install, slack, lines } = await manyStage({ storeUrl });
    const { answer, text } = await install();
    expect(answer.status).toBe(200);
    expect(text).toContain('It’s now in Acme &#60;&#38;&#62; Sons.');
    expect(text).toContain(`href="slack://app?team=${ACME}&#38;id=A0COBROWSE1&#38;tab=home"`);
    expect(answer.headers.get('set-cookie')).toContain('Max-Age=0');
    expect(slack.called()).toEqual(['oauth.v2.access', 'auth.test']);
    const sent = { client_id: '1.2', client_secret: 'client-secret', code: 'the-code' };
    expect(slack.calls[0]?.args).toMatchObject(sent);
    const database = await openUntilTestEnds(storeUrl);
    const row = async () => (await database.read(sql`SELECT * FROM workspaces`, Row))[0];
    const before = await row();
    expect(before).toMatchObject({
      id: ACME,
      name: 'Acme <&> Sons',
      url: 'https://acme.slack.com/',
      bot_id: 'B0COBROWSE1',
      bot_user_id: 'U0BOT000001',
      installed_by: 'U0ADA000005',
      version: 1,
    });
    expect(JSON.stringify(before)).not.toContain('topsecret');
    expect(lines.join('\n')).not.toMatch(/topsecret|client-secret/);
    // Its install id and its data key stay where it installs again.
    await install();
    expect(await row()).toMatchObject({
      install_id: before?.['install_id'],
      data_key: before?.['data_key'],
      version: 2,
    });
    expect((await row())?.['bot_token']).not.toBe(before?.['bot_token']);
  });
});

const ofAccess = (more: object): Answers => ({ 'oauth.v2.access': () => ({ ...granted, ...more }) });

describe.each(onlySqlite)('an installation', () => {
  it.each([
    ['was begun in another browser', { cookie: 'install-x=y' }, 400, 'works once'],
    ['has no state', { state: '', cookie: '' }, 400, 'works once'],
    ['has a state that isn’t ours', { state: 'x'.repeat(90) }, 400, 'works once'],
    ['took more than ten minutes', { ago: 10 * MINUTE_MS }, 400, 'works once'],
    ['somebody cancels', { query: 'error=access_denied' }, 403, ''],
    ['is only looked at', { method: 'HEAD' }, 400, ''],
  ])(
    'that %s is refused, spends nothing, and nothing is asked of Slack',
    async (_what, given, status, words) => {
      const { begin, redirected, slack, pass } = await manyStage();
      const begun = await begin();
      const asked = { ...begun, ago: 0, query: 'code=the-code', method: 'GET', ...given };
      pass(asked.ago);
      const answer = await redirected(asked.state, asked.cookie, asked.query, asked.method);
      expect(answer.status).toBe(status);
      expect(await answer.text()).toContain(words);
      expect(slack.calls).toEqual([]);
      pass(-asked.ago);
      expect((await redirected(begun.state, begun.cookie)).status).toBe(200);
    },
  );

  it('needs the cookie’s own value, which goes over https alone where the app is reached so', async () => {
    const { begin, redirected } = await manyStage();
    const { state, cookie } = await begin();
    expect((await redirected(state, cookie.replace(/=.*/, '=guessed'))).status).toBe(400);
    expect((await redirected(state, cookie)).status).toBe(200);
    const { get } = await manyStage({ settings: { PUBLIC_URL: 'https://app.example' } });
    expect((await get('/slack/install')).headers.get('set-cookie')).toMatch(/; Secure$/);
  });

  it('leads on to connecting an account where the operator’s serves nobody', async () => {
    const { install } = await manyStage({ settings: { COBROWSE_API_KEY: '', ALLOWED_WORKSPACES: '' } });
    expect((await install()).text).toContain('connects your co-browsing account in its Home tab');
  });

  it('can be finished once, also beside another one in another tab', async () => {
    const { begin, redirected, slack } = await manyStage();
    const [one, other] = [await begin(), await begin()];
    const cookies = `${one.cookie}; ${other.cookie}`;
    expect((await redirected(other.state, cookies)).status).toBe(200);
    expect((await redirected(one.state, cookies)).status).toBe(200);
    const again = await redirected(one.state, cookies);
    expect(again.status).toBe(400);
    expect(await again.text()).toContain('works once');
    expect(slack.called().filter((method) => method === 'oauth.v2.access')).toHaveLength(2);
  });

  const organization = { team: null, is_enterprise_install: true };
  const another = { ...organization, enterprise: { id: 'E0GRID00000' } };
  const strangers = { team: { id: 'T0STRANGE00', name: 'Strangers' } };
  const refused = { ok: false, error: 'invalid_code' };
  const ofOther: Answers = { 'auth.test': () => ({ ...known, team_id: 'T0OTHER0000' }) };
  const ASKED = ['oauth.v2.access'];
  const OUT = [...ASKED, 'apps.uninstall'];
  const OTHER = [...ASKED, 'auth.test', 'apps.uninstall'];
  it.each<readonly [string, Answers, number, string, readonly string[]]>([
    ['for a workspace that isn’t allowed', ofAccess(strangers), 403, 'can’t install the app', OUT],
    ['for an organization without a name', ofAccess(organization), 400, 'Nothing was installed', OUT],
    ['for an organization that isn’t allowed', ofAccess(another), 403, 'can’t install the app', OUT],
    ['whose code Slack doesn’t accept', ofAccess(refused), 400, 'didn’t accept', ASKED],
    ['while Slack is away', { 'oauth.v2.access': () => undefined }, 503, 'doesn’t answer now', ASKED],
    ['whose token is another workspace’s', ofOther, 400, 'Nothing was installed', OTHER],
  ])(
    '%s is refused, and taken out again where Slack had made it',
    async (_what, answers, status, words, called) => {
      const { install, slack } = await manyStage({ answers });
      const { answer, text } = await install();
      expect(answer.status).toBe(status);
      expect(text).toContain(words);
      expect(slack.called()).toEqual(called);
    },
  );

  it('exchanges nothing while the database can’t be asked', async () => {
    const storeUrl = await sqlite.newUrl();
    const { begin, redirected, slack } = await manyStage({ storeUrl });
    const { state, cookie } = await begin();
    const holder = new DatabaseSync(storeUrl.slice('sqlite:'.length));
    onTestFinished(() => holder.close());
    holder.exec('BEGIN IMMEDIATE');
    const answer = await redirected(state, cookie);
    expect(answer.status).toBe(503);
    expect(await answer.text()).toContain('doesn’t answer now');
    expect(slack.calls).toEqual([]);
  });

  it('that is refused leaves an earlier one of its workspace alone', async () => {
    let isOther = false;
    const { install, slack } = await manyStage({
      answers: { 'auth.test': () => (isOther ? { ...known, team_id: 'T0OTHER0000' } : known) },
    });
    await install();
    isOther = true;
    expect((await install()).answer.status).toBe(400);
    expect(slack.called()).not.toContain('apps.uninstall');
  });
});
