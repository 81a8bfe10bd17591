import { expect, it } from 'vitest';
import { sql } from '../../../src/database/database.ts';
import { Secret } from '../../../src/workspaces/data-keys.ts';
import { installsOn } from '../../../src/cli/store-program.ts';
import { builtStart } from '../../support/app-process.ts';
import { engines, sqlite, openUntilTestEnds } from '../../support/engines.ts';
import { SEALING_KEY, forMany, overHttp } from '../../support/settings.ts';
import { anInstall } from '../../workspaces/an-install.ts';
import { rotatingSlack } from '../../workspaces/rotating-slack.ts';
import { runNode } from './run-program.ts';

const BUILT = await builtStart();
const OLD = 'the old key of these tests that is long enough';
const NEW = 'the new key of these tests that is long enough';

it('npm run workspaces rotate exchanges the tokens of installations from before, each once', async () => {
  const slack = await rotatingSlack();
  const STORE_URL = await sqlite.newUrl();
  const database = await openUntilTestEnds(STORE_URL);
  const installs = installsOn(database, { secretKeys: [SEALING_KEY] });
  for (const id of ['T1', 'T2']) await installs.record(anInstall(id));
  await installs.record({ ...anInstall('T3'), botToken: new Secret('xoxe.xoxb-1-used') });
  const env = { ...forMany, SLACK_API_URL: slack.apiUrl, STORE_URL };
  const run = (...words: readonly string[]) => runNode([BUILT, 'workspaces', ...words], { env });

  expect(await run('rotate')).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('Token rotation is off: turn it on under OAuth & Permissions'),
  });
  slack.turnOn();
  await database.write(sql`UPDATE workspaces SET refreshing_until = NULL`);
  const { code, stdout } = await run('rotate');
  expect([code, stdout.split('\n')]).toEqual([
    1,
    [
      '2 workspaces changed to tokens that rotate.',
      'T3 not yet (token_already_exchanged): run this again. If that doesn’t help, an admin there installs the app again: https://cobrowse.example.com/slack/install',
      '',
    ],
  ]);
  expect((await installs.of('T2'))?.botToken?.reveal()).toBe('xoxe.xoxb-1-topsecret2');
  expect((await installs.of('T2'))?.refreshToken?.reveal()).toBe('xoxe-1-topsecret2');

  const [one, two] = [await installs.of('T1'), await installs.of('T2')];
  if (two !== undefined) await installs.loseTokens(two, 'invalid_refresh_token');
  expect((await run()).stdout).toMatch(/^T2 .* {2}to be installed again {2}/m);
  await database.write(sql`DELETE FROM workspaces WHERE id = 'T3'`);
  expect(await run('rotate')).toMatchObject({
    code: 0,
    stdout: '0 workspaces changed to tokens that rotate.\n',
  });
  expect((await installs.of('T1'))?.version).toBe(one?.version);

  const ofOne = { ...overHttp, STORE_URL: await sqlite.newUrl() };
  expect(await runNode([BUILT, 'workspaces', 'rotate'], { env: ofOne })).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('The token in the settings is for one workspace'),
  });
});

it.each(engines)(
  'npm run rotate-keys leaves no workspace that needs the old key, in $engine',
  async ({ newUrl }) => {
    const STORE_URL = await newUrl();
    const database = await openUntilTestEnds(STORE_URL);
    const installsWith = (...secretKeys: [string, ...string[]]) => installsOn(database, { secretKeys });
    const ids = Array.from({ length: 120 }, (_, index) => `T${String(index).padStart(4, '0')}`);
    for (const id of ids) await installsWith(OLD).record(anInstall(id));
    const tokensWithNew = () =>
      Promise.all(ids.map(async (id) => (await installsWith(NEW).of(id))?.botToken?.reveal()));
    expect(await tokensWithNew()).toEqual(ids.map(() => undefined));

    const run = (SECRET_KEYS: string) =>
      runNode([BUILT, 'rotate-keys'], { env: { ...forMany, STORE_URL, SECRET_KEYS } });
    expect(await run(NEW)).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(
        /^0 workspaces sealed with the key [0-9a-f]{8}\.\nThe key [0-9a-f]{8} isn’t in SECRET_KEYS, and 120 workspaces can’t be sealed without it/,
      ),
    });
    expect(await run(`${NEW},${OLD}`)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('120 workspaces sealed'),
    });
    expect(await tokensWithNew()).toEqual(ids.map((id) => `token of ${id}`));
    expect(await run(NEW)).toMatchObject({ code: 0, stdout: expect.stringContaining('0 workspaces sealed') });
  },
);
