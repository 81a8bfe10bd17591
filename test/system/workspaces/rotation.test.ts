import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../../src/database/open.ts';
import { Secret } from '../../../src/workspaces/data-keys.ts';
import { installsOn } from '../../../src/cli/store-program.ts';
import { hasPostgres, postgresql, sqlite, type Engine } from '../../support/engines.ts';
import { anInstall } from '../../workspaces/an-install.ts';
import { ACME } from '../../workspaces/install-stage.ts';
import { rotatingSlack, typed } from '../../workspaces/rotating-slack.ts';
import { SECRETS, openRealWorld } from '../outbox/real-app.ts';

const HOUR_MS = 60 * 60_000;

/** Acme has the app, and its token ends so many hours from now. */
async function stage(engine: Engine, hours: number) {
  const slack = await rotatingSlack();
  const storeUrl = await engine.newUrl();
  const database = await openDatabase(storeUrl);
  await installsOn(database, { secretKeys: [...SECRETS.secretKeys] }).record({
    ...anInstall(ACME),
    botToken: new Secret(slack.token()),
    refreshToken: new Secret(slack.refreshToken()),
    tokenEndsAt: Date.now() + hours * HOUR_MS,
  });
  await database.close();
  const world = await openRealWorld({
    settings: async () => ({
      SLACK_BOT_TOKEN: '',
      SLACK_CLIENT_ID: '1.2',
      SLACK_CLIENT_SECRET: 'client-secret',
      SLACK_SIGNING_SECRET: 'signing-secret',
      ALLOWED_WORKSPACES: ACME,
      SLACK_API_URL: slack.apiUrl,
      STORE_URL: storeUrl,
    }),
  });
  return { slack, world };
}

describe.skipIf(!hasPostgres)('the moment at which a token has ended', () => {
  it('is one refresh, however many commands come to three processes', async () => {
    const { slack, world } = await stage(postgresql, 12);
    const first = await world.start();
    const others = [await world.startBeside(), await world.startBeside()];
    const urls = [world.publicUrl, ...others.map(({ publicUrl }) => publicUrl)];
    slack.end();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, each) =>
        typed(slack, { publicUrl: urls[each % urls.length] ?? '', id: `answer-${each}` }),
      ),
    );
    for (const answer of answers) await expect.poll(answer).toContain('online now');
    expect(slack.refreshes()).toBe(1);
    for (const app of [first, ...others.map((other) => other.app)])
      expect(app.output()).not.toContain('topsecret');
  });
});

describe('a kill with SIGKILL between Slack’s answer to a refresh and the write', () => {
  it('ends in words: whoever uses the app hears that it has to be installed again, and so does its operator', async () => {
    const { slack, world } = await stage(sqlite, 1);
    slack.from('hangs');
    const killed = await world.start();
    await expect.poll(slack.refreshes).toBe(1);
    await killed.kill();
    slack.from('answers');
    const app = await world.start();
    await app.said('nothing works there until an admin installs the app again');
    const answer = await typed(slack, { publicUrl: world.publicUrl, id: 'after-the-kill' });
    await expect.poll(answer).toContain(`${world.publicUrl}/slack/install`);
    expect(slack.refreshes()).toBe(2);
    expect(app.output()).not.toContain('topsecret');
  });
});
