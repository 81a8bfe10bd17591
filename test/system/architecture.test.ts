import { execFile } from 'node:child_process';
import { copyFile, mkdir, symlink, writeFile } from 'node:fs/promises';
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { join as joinUrl } from 'node:path/posix';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { temporaryFolder } from '../support/temporary.ts';

const OXLINT = fileURLToPath(import.meta.resolve('oxlint')).replace(/dist\/index\.js$/, 'bin/oxlint');
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CONFIG = 'oxlint.config.ts';

const files = ['src', 'sandbox'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file.replaceAll('\\', '/')}`)
    .filter((file) => /\.(?:ts|js)$/.test(file) && !file.includes('/vendor/')),
);

/** What a file imports, as paths of the project. */
function importsOf(file: string): readonly string[] {
  const source = readFileSync(join(ROOT, file), 'utf8');
  return [...source.matchAll(/(?:from|import\(|new URL\()\s*'(\.[^']+)'/g)].map(([, name = '']) =>
    joinUrl(dirname(file), name),
  );
}

describe('the source', () => {
  it('has no file with a meaningless name', () => {
    const empty = /(?:^|\/)(?:utils?|helpers?|common|shared|types|index)\.[tj]s$/;
    expect(files.filter((file) => empty.test(file))).toEqual([]);
  });

  it('is all used: every file but the first is imported by another, or belongs to a page', () => {
    const imported = new Set(files.flatMap(importsOf));
    const alone = files.filter((file) => !imported.has(file) && !/\/(page|snippet)\//.test(file));
    expect(alone.filter((file) => !file.endsWith('.d.ts'))).toEqual(['src/start.js']);
  });
});

const Report = z.object({ diagnostics: z.array(z.object({ code: z.string() })) });

/** What the linter's import rules report about a file with this content. */
async function rulesAgainst(file: string, source: string): Promise<number> {
  const folder = await temporaryFolder();
  // Its rules are for paths beside it.
  await copyFile(join(ROOT, CONFIG), join(folder, CONFIG));
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  await mkdir(dirname(join(folder, file)), { recursive: true });
  await writeFile(join(folder, file), source);
  const options = { cwd: folder };
  const run = promisify(execFile)(process.execPath, [OXLINT, '-c', CONFIG, '-f', 'json', file], options);
  const { stdout } = await run.catch((failed: { stdout: string }) => failed);
  const { diagnostics } = Report.parse(JSON.parse(stdout));
  return diagnostics.filter(({ code }) => /restricted-imports|no-console|process-env/.test(code)).length;
}

describe('the linter’s import rules', () => {
  it.each([
    ['commands/a.ts', "export { b } from '../watch/b.ts';"],
    ['watch/a.ts', "export { b } from '../slack/b.ts';"],
    ['messages/a.ts', "export { b } from '../commands/b.ts';"],
    ['http/a.ts', "import '../app.ts';"],
    ['slack/a.ts', "export { b } from '../sessions/b.ts';"],
    ['slack/a.ts', "import type { Config } from '../config/config.ts';\nexport type C = Config;"],
    ['watch/a.ts', "export { App } from '@slack/bolt';"],
    ['commands/a.ts', "export { b } from '../../sandbox/b.ts';"],
    ['app.ts', "export { App } from '@slack/bolt';"],
    ['http/a.ts', "export const home = process.env['HOME'];"],
    ['http/a.ts', "console.log('here');"],
  ])('refuse in %s: %s', async (file, source) => {
    expect(await rulesAgainst(`src/${file}`, source)).toBe(1);
  });

  it.each([
    ['commands/a.ts', "export { b } from '../messages/b.ts';\nexport { c } from './c.ts';"],
    [
      'slack/a.ts',
      "export { b } from '../commands/b.ts';\nimport type { Log } from '../log.ts';\nexport type C = Log;",
    ],
    ['slack/a.ts', "export { App } from '@slack/bolt';"],
    ['slack/a.ts', "import type { Post } from '../outbox/transport.ts';\nexport type C = Post;"],
    ['run.ts', 'export const from = process.env;'],
  ])('allow in %s: %s', async (file, source) => {
    expect(await rulesAgainst(`src/${file}`, source)).toBe(0);
  });
});
