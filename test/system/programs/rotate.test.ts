import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { sql } from '../../../src/database/database.ts';
import { Secret } from '../../../src/workspaces/data-keys.ts';
import { installsOn } from '../../../src/cli/store-program.ts';
import { sqlite, openUntilTestEnds } from '../../support/engines.ts';
import { SEALING_KEY, forMany, overHttp, type Settings } from '../../support/settings.ts';
import { anInstall } from '../../workspaces/an-install.ts';
import { rotatingSlack } from '../../workspaces/rotating-slack.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** While this process answers as Slack. */
async function run(settings: Settings, ...args: readonly string[]) {
  const env = { ...process.env, ...settings };
  return promisify(execFile)(process.execPath, ['.', 'workspaces', ...args], { cwd: ROOT, env }).then(
    ({ stdout }) => ({ code: 0, stdout }),
    ({ code, stdout }: { code: number; stdout: string }) => ({ code, stdout }),
  );
}

it('npm run workspaces rotate exchanges the tokens of installations from before, each once', async () => {
  const slack = await rotatingSlack();
  const storeUrl = await sqlite.newUrl();
  const database = await openUntilTestEnds(storeUrl);
  const installs = installsOn(database, { secretKeys: [SEALING_KEY] });
  for (const id of ['T1', 'T2']) await installs.record(anInstall(id));
  await installs.record({ ...anInstall('T3'), botToken: new Secret('xoxe.xoxb-1-used') });
  const settings = { ...forMany, SLACK_API_URL: slack.apiUrl, STORE_URL: storeUrl, SLACK_BOT_TOKEN: '' };

  expect(await run(settings, 'rotate')).toEqual({
    code: 1,
    stdout: expect.stringContaining('Token rotation is off: turn it on under OAuth & Permissions'),
  });
  slack.turnOn();
  await database.write(sql`UPDATE workspaces SET refreshing_until = NULL`);
  const { code, stdout } = await run(settings, 'rotate');
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
  expect((await run(settings)).stdout).toMatch(/^T2 .* {2}to be installed again {2}/m);
  await database.write(sql`DELETE FROM workspaces WHERE id = 'T3'`);
  expect(await run(settings, 'rotate')).toEqual({
    code: 0,
    stdout: '0 workspaces changed to tokens that rotate.\n',
  });
  expect((await installs.of('T1'))?.version).toBe(one?.version);
});

it('npm run workspaces rotate says why the token in the settings can’t', async () => {
  const settings = { ...overHttp, STORE_URL: await sqlite.newUrl() };
  expect(await run(settings, 'rotate')).toEqual({
    code: 1,
    stdout: expect.stringContaining('The token in the settings is for one workspace'),
  });
});
