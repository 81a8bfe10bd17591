import { cp, readFile, readdir, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown, type Plugin } from 'rolldown';
import { z } from 'zod';
import packageFile from '../package.json' with { type: 'json' };

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DIST = join(ROOT, 'dist');
/** What an operator reads, beside the program. */
const PAGES = ['.env.example', 'CHANGELOG.md', 'LICENSE', 'README.md', 'docs'];
const NOTICES = 'THIRD-PARTY-LICENSES.txt';

/** Only our own source has positions, so that Node keeps little of them. */
const ownPositions: Plugin = {
  name: 'no positions in packages',
  transform: { filter: { id: /\/node_modules\// }, handler: (code) => ({ code, map: { mappings: '' } }) },
};

const Package = z.object({
  name: z.string(),
  version: z.string(),
  license: z.string(),
  homepage: z.string().optional(),
  repository: z.union([z.string(), z.object({ url: z.string() }).transform(({ url }) => url)]).optional(),
});

/** Some have their license at the end of what they say about themselves. */
const licenseIn = (readme: string) => /^#+ *licen[cs]e.*/ims.exec(readme)?.[0] ?? '';

/** Whose package it is, under which license, where its source is, and the license itself. */
async function noticeOf(folder: string): Promise<string> {
  const { name, version, license, repository, homepage } = Package.parse(
    JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')),
  );
  const textOf = (file: string) => readFile(join(folder, file), 'utf8');
  const files = (await readdir(folder))
    .filter((file) => /^(?:licen[cs]e|copying|notice)/i.test(file))
    .toSorted();
  const texts =
    files.length > 0 ? await Promise.all(files.map(textOf)) : [licenseIn(await textOf('README.md'))];
  const head = `${name} ${version} (${license})\nSource: ${repository ?? homepage ?? `npm, ${name}`}`;
  return [head, ...texts.map((text) => text.trim())].join('\n\n');
}

/** Makes a folder that runs by itself, without packages. */
async function build(folder: string): Promise<void> {
  const bundle = await rolldown({
    cwd: ROOT,
    // Its imports are parts by themselves, so that it stays as it is, which an old Node can read.
    input: 'src/start.js',
    platform: 'node',
    external: /\/sandbox\/main\.ts$/,
    plugins: [ownPositions],
  });
  const { output } = await bundle.write({
    dir: folder,
    cleanDir: folder === DIST,
    chunkFileNames: 'app/[name].js',
    assetFileNames: 'app/[name][extname]',
    comments: false,
    sourcemap: true,
    sourcemapExcludeSources: true,
    sourcemapPathTransform: (path, map) => relative(ROOT, resolve(map, '..', path)),
  });
  const inside = output.flatMap((made) => (made.type === 'chunk' ? made.moduleIds : []));
  const packages = new Set(
    inside.flatMap((path) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []),
  );
  const notices = await Promise.all([...packages].toSorted().map(noticeOf));
  await writeFile(join(folder, NOTICES), `${notices.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`);
  for (const page of PAGES) await cp(join(ROOT, page), join(folder, page), { recursive: true });
  const { name, version, description, license, type, engines } = packageFile;
  const made = { name, version, private: true, description, license, type, engines };
  const bin = { [name]: 'start.js' };
  const files = ['app', NOTICES, ...PAGES];
  await writeFile(join(folder, 'package.json'), `${JSON.stringify({ ...made, bin, files }, undefined, 2)}\n`);
}

const [, , folder = DIST] = process.argv;
await build(resolve(folder));
process.stdout.write(
  `Made ${packageFile.name} ${packageFile.version} in ${resolve(folder)}. It needs no packages: node ${join(folder, 'start.js')}\n`,
);
