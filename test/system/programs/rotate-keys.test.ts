import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { installsOn } from '../../../src/cli/store-program.ts';
import { engines, openUntilTestEnds } from '../../support/engines.ts';
import { forMany } from '../../support/settings.ts';
import { anInstall } from '../../workspaces/an-install.ts';

const OLD = 'the old key of these tests that is long enough';
const NEW = 'the new key of these tests that is long enough';
const root = fileURLToPath(new URL('../../..', import.meta.url));

it.each(engines)(
  'npm run rotate-keys leaves no workspace that needs the old key, in $engine',
  async ({ newUrl }) => {
    const storeUrl = await newUrl();
    const database = await openUntilTestEnds(storeUrl);
    const installsWith = (...secrets: [string, ...string[]]) => installsOn(database, { secretKeys: secrets });
    const ids = Array.from({ length: 120 }, (_, index) => `T${String(index).padStart(4, '0')}`);
    for (const id of ids) await installsWith(OLD).record(anInstall(id));
    const tokensWith = async (...secrets: [string, ...string[]]) =>
      Promise.all(ids.map(async (id) => (await installsWith(...secrets).of(id))?.botToken?.reveal()));
    expect(await tokensWith(NEW)).toEqual(ids.map(() => undefined));

    const run = (secrets: string) =>
      spawnSync(process.execPath, ['.', 'rotate-keys'], {
        cwd: root,
        encoding: 'utf8',
        env: { ...process.env, ...forMany, STORE_URL: storeUrl, SECRET_KEYS: secrets, SLACK_BOT_TOKEN: '' },
      });
    expect(run(NEW)).toMatchObject({
      status: 1,
      stdout: expect.stringMatching(
        /^0 workspaces sealed with the key [0-9a-f]{8}\.\nThe key [0-9a-f]{8} isn’t in SECRET_KEYS, and 120 workspaces can’t be sealed without it/,
      ),
    });
    expect(run(`${NEW},${OLD}`)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('120 workspaces sealed'),
    });
    expect(await tokensWith(NEW)).toEqual(ids.map((id) => `token of ${id}`));
    expect(run(NEW)).toMatchObject({ status: 0, stdout: expect.stringContaining('0 workspaces sealed') });
  },
);
