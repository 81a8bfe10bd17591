import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { sql } from '../../../src/database/database.ts';
import { ADA, atHome } from '../../home/at-home.ts';
import { endedSession } from '../../sessions/ended-session.ts';
import { webhooksOf } from '../../sessions/webhook-stage.ts';
import { onlySqlite, engines, sqlite, openUntilTestEnds } from '../../support/engines.ts';
import { ALEX, anotherLink, personIn, readable } from '../../support/person.ts';
import { ACME, startForMany } from '../../workspaces/many-stage.ts';

const JANE = /^Watch the screen of Jane Cooper/;

describe.each(onlySqlite)('a service that fails with an account', () => {
  it.each([
    ['that the workspace connected', { connects: true }, /press Change in/i],
    ['of whoever runs the app', { operators: true, allowed: [ACME] }, /ask whoever runs the app/i],
  ])('%s sends people to who can mend it, and names no setting', async (_, account, next) => {
    const { sandbox } = await startForMany({ storeUrl: await sqlite.newUrl(), ...account });
    const doctor = async () => (await personIn(sandbox, ADA).type('/cobrowse doctor')).text;
    sandbox.service.misbehave({ fail: { with: 401 } });
    const refused = [(await personIn(sandbox).type('/cobrowse jane')).text, await doctor()];
    sandbox.service.misbehave({ fail: { with: 'hang-up' } });
    for (const words of [...refused, await doctor()]) {
      expect(words).toMatch(next);
      expect(words).not.toContain('COBROWSE_');
    }
  });
});

describe.each(engines)('a workspace that installed the app, in $engine', ({ newUrl }) => {
  type Options = Omit<Parameters<typeof startForMany>[0], 'storeUrl'>;
  const start = async (options: Options = {}) => startForMany({ storeUrl: await newUrl(), ...options });
  const openedAt = async (host: string, watchHosts: readonly string[]) => {
    const { sandbox } = await start({ connects: true, host, settings: { watchHosts } });
    const alex = personIn(sandbox);
    return anotherLink(await alex.watch(await alex.type('/cobrowse jane'), JANE));
  };

  // Summaries are workspaces.test.ts's, and that nobody reads its key account-journey.test.ts's.
  it('works with its own account, and gets links by it', async () => {
    const storeUrl = await newUrl();
    const { sandbox } = await startForMany({ storeUrl, connects: true });
    const alex = personIn(sandbox);
    const found = await alex.type('/cobrowse jane');
    expect(readable(found.blocks)).toContain('Jane Cooper');
    const link = (await anotherLink(await alex.watch(found, JANE))).headers.get('location') ?? '';
    expect(link).toContain(sandbox.service.url);
    const database = await openUntilTestEnds(storeUrl);
    const ids = await database.read(
      sql`SELECT account_id, (SELECT id FROM service_accounts) AS id FROM watch_links`,
      z.object({ account_id: z.string(), id: z.string() }),
    );
    expect(ids.map(({ account_id, id }) => account_id === id)).toEqual([true]);
  });

  it('works with an account within seconds after another process connected it', async () => {
    const { sandbox, connectElsewhere } = await start();
    const alex = personIn(sandbox);
    expect((await alex.type('/cobrowse jane')).text).toContain('no co-browsing account yet');
    await connectElsewhere();
    const found = async () => readable((await alex.type('/cobrowse jane')).blocks);
    await expect.poll(found, { timeout: 10_000, interval: 500 }).toContain('Jane Cooper');
  });

  it('works with the operator’s account while it has none, if it’s on the list', async () => {
    const { sandbox } = await start({ operators: true, allowed: [ACME] });
    expect(readable((await personIn(sandbox).type('/cobrowse jane')).blocks)).toContain('Jane Cooper');
    const { sandbox: unlisted } = await start({ operators: true, allowed: ['T0OTHER0000'] });
    expect((await personIn(unlisted).type('/cobrowse jane')).text).toContain('no co-browsing account yet');
    expect(unlisted.service.requests).toEqual([]);
  });

  it('isn’t led into a private network by its account’s address', async () => {
    const { sandbox } = await start({ connects: true, settings: { serviceHosts: [] } });
    expect((await personIn(sandbox).type('/cobrowse jane')).text).toContain('isn’t a public one over https');
    expect(sandbox.service.requests).toEqual([]);
  });

  it('gets links to its own service’s host or WATCH_HOSTS, and nowhere else', async () => {
    expect((await openedAt('127.0.0.1', ['watch.example'])).status).toBe(302);
    expect((await openedAt('localhost', ['127.0.0.1'])).status).toBe(302);
    const refused = await openedAt('localhost', []);
    expect(refused.status).toBe(502);
    expect(await refused.text()).toContain('leads to a host that isn’t listed');
  });
});

const NEXT = 'Ask a workspace admin to connect it in this app’s Home tab.';

describe.each(onlySqlite)('a workspace without an account of the service', ({ newUrl }) => {
  it('hears one next step, whatever it asks for, and still gets what a webhook reports', async () => {
    const { sandbox } = await startForMany({ storeUrl: await newUrl() });
    const alex = personIn(sandbox);
    const commands = ['', 'jane', 'stop jane4821', 'usage', 'proxy https://a.example', 'agent', 'visitor x'];
    for (const text of commands) {
      const answer = await alex.type(`/cobrowse ${text}`);
      expect(`${text}: ${answer.text}`).toContain(NEXT);
    }
    expect((await personIn(sandbox, ADA).type('/cobrowse delete jane4821')).text).toContain('Home tab.');
    expect((await personIn(sandbox, ADA).type('/cobrowse doctor')).text).toContain(
      'Connect your co-browsing account in the Home tab.',
    );
    expect(readable(await atHome(sandbox, ALEX).open())).toContain(NEXT);
    expect(sandbox.service.requests).toEqual([]);
    const webhooks = webhooksOf(sandbox);
    await webhooks.send(endedSession('late'));
    expect((await webhooks.summaryOf('late')).text).toContain('late');
  });
});
