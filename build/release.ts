import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import packageLock from '../package-lock.json' with { type: 'json' };
import packageFile from '../package.json' with { type: 'json' };

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const BUILD = fileURLToPath(new URL('build.ts', import.meta.url));
const { name, version } = packageFile;

async function run(command: string, args: readonly string[], cwd = ROOT): Promise<string> {
  const { stdout } = await promisify(execFile)(command, args, { cwd, maxBuffer: 64 * 1_048_576 });
  return stdout;
}

/** What is inside, as CycloneDX. Asked to leave out what is for development, npm leaves out what both use. */
async function componentsIn(work: string): Promise<string> {
  // It names the whole after the folder.
  const folder = join(work, name);
  await mkdir(folder);
  const { dependencies, license, optionalDependencies: optional } = packageFile;
  const root = { name, version, license, dependencies };
  const all = Object.entries(packageLock.packages).filter(([path]) => path !== '');
  const inside = all.filter(
    ([path, one]) => !('dev' in one) && !('devOptional' in one) && !Object.hasOwn(optional, basename(path)),
  );
  const lock = { ...packageLock, packages: { '': root, ...Object.fromEntries(inside) } };
  await writeFile(join(folder, 'package.json'), JSON.stringify(root));
  await writeFile(join(folder, 'package-lock.json'), JSON.stringify(lock));
  return run('npm', ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'], folder);
}

/** Makes the package, the list of what is inside and their checksums; publishes nothing. */
async function release(folder: string): Promise<void> {
  const changes = await readFile(join(ROOT, 'CHANGELOG.md'), 'utf8');
  if (!changes.includes(`\n## ${version}\n`))
    throw new Error(`CHANGELOG.md says nothing about ${version}: write what it asks of whoever upgrades.`);
  const work = await mkdtemp(join(tmpdir(), 'release-'));
  try {
    const [built, tarball, list] = [
      join(work, 'built'),
      `${name}-${version}.tgz`,
      `${name}-${version}.cdx.json`,
    ];
    await run(process.execPath, [BUILD, built]);
    await mkdir(folder, { recursive: true });
    await run('npm', ['pack', built, '--pack-destination', folder]);
    await writeFile(join(folder, list), await componentsIn(work));
    const sums = [tarball, list].map(async (file) => {
      const sum = createHash('sha256').update(await readFile(join(folder, file)));
      return `${sum.digest('hex')}  ${file}\n`;
    });
    await writeFile(join(folder, 'SHA256SUMS'), (await Promise.all(sums)).join(''));
  } finally {
    await rm(work, { recursive: true });
  }
}

const [, , folder = join(ROOT, 'release')] = process.argv;
await release(resolve(folder));
process.stdout.write(
  `Made ${name} ${version}, published nowhere:\n${(await readdir(folder)).map((file) => `  ${join(folder, file)}\n`).join('')}`,
);
