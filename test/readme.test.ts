import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createCloudClient } from '../src/cobrowse/cloud.ts';
import { defaultWireNames, wireNameTable } from '../src/cobrowse/wire-names.ts';
import { helpEntries } from '../src/commands/run-text.ts';
import { SETTING_NAMES } from '../src/config.ts';
import manifest from '../manifest.json' with { type: 'json' };
import packageFile from '../package.json' with { type: 'json' };

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const readme = read('README.md');

/** The rows of the table whose head has this first cell, each as its cells. */
function table(firstHead: string): string[][] {
  const lines = readme.split('\n');
  const start = lines.findIndex((line) => line.startsWith(`| ${firstHead} |`));
  const rows = lines.slice(start + 2);
  const end = rows.findIndex((line) => !line.startsWith('|'));
  return rows.slice(0, end).map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const names = (cell: string | undefined) =>
  Array.from((cell ?? '').matchAll(/`([^`]+)`/g), (match) => match[1]);

/** The address of a heading within the page. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-');

describe('README', () => {
  it('lists exactly the commands there are, with their usage and summary', () => {
    const expected = helpEntries.map(({ usage, summary }) => [`\`/cobrowse ${usage}\``, summary]);
    expect(table('command')).toEqual(expected);
  });

  it('lists exactly the settings that are read', () => {
    expect(SETTING_NAMES.length).toBeGreaterThan(10);
    expect(new Set(table('setting').flatMap(([cell]) => names(cell)))).toEqual(new Set(SETTING_NAMES));
  });

  it('gives a reason for exactly the scopes of the manifest', () => {
    const rows = table('scope');
    expect(rows.flatMap(([cell]) => names(cell))).toEqual(manifest.oauth_config.scopes.bot);
    for (const [, reason = ''] of rows) expect(reason.length).toBeGreaterThan(10);
  });

  it('lists every wire name with its default and meaning', () => {
    const expected = Object.entries(wireNameTable).map(([name, { default: value, meaning }]) => [
      `\`${name}\``,
      value === undefined ? 'unset' : `\`${value}\``,
      meaning,
    ]);
    expect(table('name')).toEqual(expected);
  });

  it('says for every row of the service document where it is used, with functions that exist', () => {
    const rows = table('row');
    expect(rows.length).toBeGreaterThan(15);
    expect(rows.flat().filter((cell) => cell === '')).toEqual([]);
    expect(new Set(rows.map((row) => row.length))).toEqual(new Set([4]));
    const service = { baseUrl: 'https://service.example', apiKey: 'key', wireNames: defaultWireNames };
    const operations = Object.keys(createCloudClient(service)).filter(
      (name) => !['close', 'offers'].includes(name),
    );
    expect(new Set(rows.flatMap(([, cell]) => names(cell)))).toEqual(new Set(operations));
  });

  it('names only folders and files that exist', () => {
    const paths = [
      ...table('folder').flatMap(([cell]) => names(cell)),
      ...Array.from(readme.matchAll(/\]\((?!https?:|#)([^)]+)\)/g), (match) => match[1]),
    ];
    expect(paths.length).toBeGreaterThan(10);
    expect(paths.filter((path) => !existsSync(new URL(`../${path}`, import.meta.url)))).toEqual([]);
  });

  it('leads to headings that exist', () => {
    const headings = Array.from(readme.matchAll(/^#{2,3} (.+)$/gm), ([, heading = '']) => heading);
    const anchors = new Set(headings.map(anchorOf));
    const led = Array.from(readme.matchAll(/\]\(#([^)]+)\)/g), ([, anchor]) => anchor);
    expect(led).toContain('trust');
    expect(led.filter((anchor) => !anchors.has(anchor ?? ''))).toEqual([]);
  });

  it('gives the two commands, and every script it names exists', () => {
    expect(readme).toContain('npm ci && npm run sandbox');
    expect(readme).toContain('npm ci && npm test');
    const scripts = Array.from(readme.matchAll(/npm run ([\w:]+)/g), (match) => match[1] ?? '');
    for (const script of scripts) expect(Object.keys(packageFile.scripts)).toContain(script);
  });

  it('shows the command file as it is', () => {
    const shown = /```ts\n([^`]+)```/.exec(readme)?.[1] ?? '-';
    expect(read('src/commands/usage.ts')).toContain(shown);
  });
});
