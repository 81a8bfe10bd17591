import { execFile } from 'node:child_process';
import { chown, copyFile, mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DockerfileParser, Label } from 'dockerfile-ast';
import { validate } from 'dockerfile-utils';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import packageFile from '../../../package.json' with { type: 'json' };
import { summaryOf, tellOf } from '../outbox/many-channels.ts';
import { openRealWorld, watchAsBrowser } from '../outbox/real-app.ts';
import { canMount } from '../../support/machine.ts';
import { personIn } from '../../support/person.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { runSteps } from './image.ts';

const CLOCK = fileURLToPath(new URL('../../support/clock.ts', import.meta.url));
const run = promisify(execFile);

it('is described without a mistake, with labels that are the package’s own', async () => {
  const text = await readFile('deploy/Dockerfile', 'utf8');
  expect(validate(text)).toEqual([]);
  const labels = DockerfileParser.parse(text)
    .getInstructions()
    .flatMap((instruction) => (instruction instanceof Label ? instruction.getProperties() : []))
    .map((label) => [label.getName(), label.getValue()]);
  const { name, version, license } = packageFile;
  expect(Object.fromEntries(labels)).toMatchObject({
    'org.opencontainers.image.title': name,
    'org.opencontainers.image.version': version,
    'org.opencontainers.image.licenses': license,
  });
});

// If it's skipped, the run says so: see test/support/machine.ts.
describe.skipIf(!canMount)('the image, made step by step', () => {
  let below = '';
  let image: Awaited<ReturnType<typeof runSteps>>;
  beforeAll(async () => {
    below = await mkdtemp(join(tmpdir(), 'images-'));
    image = await runSteps(below);
  });
  afterAll(() => rm(below, { recursive: true }));

  /** A volume, with the test's clock in it. */
  async function newVolume(): Promise<string> {
    const data = await temporaryFolder();
    await copyFile(CLOCK, join(data, 'clock.ts'));
    const [user = NaN, group = NaN] = image.user.split(':').map(Number);
    await chown(data, user, group);
    return data;
  }

  const filesOf = async () => (await run('find', [image.root, '-type', 'f'])).stdout;

  it('takes a session from the search to its summary, and writes nothing outside /data', async () => {
    const data = await newVolume();
    const { app, healthcheck } = image.on(data, '/data/clock.ts');
    const before = await filesOf();
    expect(image.user).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    const world = await openRealWorld({ program: app });
    const running = await world.start();
    expect(running.output()).toContain('"host":"0.0.0.0"');
    const alex = personIn(world);
    const opened = await watchAsBrowser(alex, await alex.type('/cobrowse watch jane'));
    expect(opened.status).toBe(302);
    expect(await tellOf(world, 'ended')).toBe(200);
    await summaryOf(world, 'ended');

    const [program = '', ...words] = healthcheck;
    const env = { ...world.settings, NODE_DEBUG_NATIVE: 'COMPILE_CACHE' };
    const asked = await run(program, words, { env });
    expect(asked.stdout).toContain(`The app is alive at ${world.publicUrl}/healthz.\n`);
    // It was compiled when the image was made.
    expect(asked.stderr).toContain('/app/app/config.js was accepted');
    running.askToStop();
    expect(await running.ended()).toBe(0);
    expect(await readdir(data)).toContain('cobrowse.db');
    expect(await filesOf()).toBe(before);
  });
});
