import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { describe, expect, it } from 'vitest';
import manifest from '../manifest.json' with { type: 'json' };
import packageFile from '../package.json' with { type: 'json' };
import { createCobrowse } from '../src/cobrowse/client.ts';
import { defaultWireNames } from '../src/cobrowse/wire-names.ts';
import { SETTING_NAMES } from '../src/config/config.ts';
import { appsCatalog } from './support/catalog.ts';
import { SLACKBOT_SCOPE } from '../src/slack/setup-state.ts';

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const isThere = (path: string) => existsSync(new URL(`../${path}`, import.meta.url));
const readme = read('README.md');
const folder = new URL('../docs/', import.meta.url);
const pages: Readonly<Record<string, string>> = Object.fromEntries(
  readdirSync(folder, { encoding: 'utf8', recursive: true })
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`)
    .concat('README.md', 'CONTRIBUTING.md')
    .map((path) => [path, read(path)]),
);

const cellsOf = (row: string) => row.split('|').slice(1, -1);

/** The rows of a page's table whose head has this first cell, each as its cells. */
function table(page: string, firstHead: string): string[][] {
  const lines = read(page).split('\n');
  const start = lines.findIndex((line) => line.startsWith(`| ${firstHead} |`));
  const rows = lines.slice(start + 2);
  const end = rows.findIndex((line) => !line.startsWith('|'));
  return rows.slice(0, end).map((row) => cellsOf(row).map((cell) => cell.trim()));
}

const names = (cell: string | undefined) =>
  Array.from((cell ?? '').matchAll(/`([^`]+)`/g), (match) => match[1]);

/** The address of a heading within the page. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-');

describe('README and docs', () => {
  it('lists exactly the commands there are, with their usage and summary', async () => {
    const { commands } = await appsCatalog();
    const expected = commands.map(({ usage, summary }) => [`\`/cobrowse ${usage}\``, summary]);
    expect(table('README.md', 'command'), 'the commands in README.md').toEqual(expected);
  });

  it('lists exactly the settings that are read', () => {
    expect(SETTING_NAMES.length).toBeGreaterThan(10);
    const listed = table('docs/configuration.md', 'setting').flatMap(([cell]) => names(cell));
    expect(new Set(listed), 'the settings in docs/configuration.md').toEqual(new Set(SETTING_NAMES));
  });

  it('gives a reason for exactly the scopes of the manifest, with Slackbot’s', () => {
    const rows = table('docs/security.md', 'scope');
    const listed = rows.flatMap(([cell]) => names(cell));
    const asked = [...manifest.oauth_config.scopes.bot, SLACKBOT_SCOPE];
    expect(listed, 'the scopes in docs/security.md').toEqual(asked);
    for (const [, reason = ''] of rows) expect(reason.length).toBeGreaterThan(10);
  });

  it('says of every wire name once where it comes from', () => {
    const listed = table('docs/service-api.md', 'from').flatMap(([, cell]) => names(cell));
    const wireNames = listed.filter((one = '') => one in defaultWireNames || one === 'permissionVideoAudio');
    expect(wireNames.toSorted((one = '', other = '') => (one < other ? -1 : 1))).toEqual(
      [...Object.keys(defaultWireNames), 'permissionVideoAudio'].toSorted(),
    );
  });

  it('lists every wire name with its default', () => {
    const expected = Object.entries(defaultWireNames).map(([name, value]) =>
      [name, value].map((one) => `\`${one}\``),
    );
    const listed = table('docs/configuration.md', 'name').map((row) => row.slice(0, 2));
    const named = listed.filter(([, value]) => value !== 'unset');
    expect(named, 'the names in docs/configuration.md').toEqual(expected);
    expect(listed.filter(([, value]) => value === 'unset')).toEqual([['`permissionVideoAudio`', 'unset']]);
  });

  it('says for every row of the service document where it is used, with functions that exist', () => {
    const rows = table('docs/service-api.md', 'row');
    expect(rows.length).toBeGreaterThan(15);
    expect(rows.flat().filter((cell) => cell === '')).toEqual([]);
    expect(new Set(rows.map((row) => row.length))).toEqual(new Set([4]));
    const cloud = { baseUrl: 'https://service.example', apiKey: 'key' };
    const client = createCobrowse({ cloud, onPremise: undefined, wireNames: defaultWireNames });
    const operations = Object.keys(client).filter(
      (name) => !['close', 'offers', 'isConnected', 'keyHolder', 'understands'].includes(name),
    );
    expect(new Set(rows.flatMap(([, cell]) => names(cell)))).toEqual(new Set(operations));
  });

  it('is short: everything else has its own page', () => {
    expect(Buffer.byteLength(readme)).toBeLessThanOrEqual(6 * 1_024);
  });

  it('gives the two commands, and every script it names exists', () => {
    expect(readme).toContain('npm ci && npm run sandbox');
    expect(readme).toContain('npm ci && npm test');
    const text = Object.values(pages).join('\n');
    const scripts = Array.from(text.matchAll(/npm run (\w[\w:-]*)/g), (match) => match[1] ?? '');
    for (const script of scripts) expect(Object.keys(packageFile.scripts)).toContain(script);
  });

  it('shows the command file as it is', () => {
    const shown = /```ts\n([^`]+)```/.exec(pages['CONTRIBUTING.md'] ?? '')?.[1] ?? '-';
    expect(read('src/admin/usage.ts')).toContain(shown);
  });
});

describe.each(Object.keys(pages))('%s', (path) => {
  const page = pages[path] ?? '';
  const links = Array.from(page.matchAll(/\]\((?!https?:)([^)]+)\)/g), ([, link = '']) => link);

  it('leads only to files that exist, and to headings in them', () => {
    const dead = links.filter((link) => {
      const [file = '', anchor] = link.split('#');
      const target = file === '' ? path : join(dirname(path), file);
      if (!isThere(target)) return true;
      if (anchor === undefined) return false;
      const headings = Array.from(read(target).matchAll(/^#{2,3} (.+)$/gm), ([, heading = '']) => heading);
      return !headings.map(anchorOf).includes(anchor);
    });
    expect(dead).toEqual([]);
  });

  it('names only folders and files that exist', () => {
    const named = Array.from(page.matchAll(/`((?:src|test|docs)\/[\w./-]+)`/g), ([, file = '']) => file);
    expect(named.filter((file) => !isThere(file))).toEqual([]);
  });
});

it.each(['docs/architecture.md', 'CONTRIBUTING.md'])('%s names files that exist along its ways', (path) => {
  const page = pages[path] ?? '';
  const named = Array.from(page.matchAll(/`([a-z][\w-]*\/[\w./-]+\.ts)`/g), ([, file = '']) => file);
  expect(named.length).toBeGreaterThan(10);
  // They are below src, but for those of the two other folders.
  const missing = named.filter((file) => !isThere(/^(?:sandbox|test)\//.test(file) ? file : `src/${file}`));
  expect(missing).toEqual([]);
});
