import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const SRC = fileURLToPath(new URL('../src/', import.meta.url));

/** What stands above may use what stands below; parts of one line do not know each other. */
const LAYERS: readonly (readonly string[])[] = [
  ['start'],
  ['process', 'sandbox'],
  ['app'],
  ['slack'],
  ['commands', 'watch', 'session-end', 'subscriptions', 'doctor', 'home', 'charts'],
  ['deliveries'],
  ['views'],
  ['grants'],
  ['audit'],
  ['cobrowse', 'tickets', 'storage', 'http'],
  ['database'],
];
/** From here on down types, too, are taken from below only. */
const FEATURES = 4;

/** Files outside of the folders. */
const PART_OF_FILE: Readonly<Record<string, string>> = {
  'main.ts': 'process',
  'manifest.ts': 'process',
  'start.js': 'start',
  'run.ts': 'process',
  'app.ts': 'app',
  'background.ts': 'app',
  'config.ts': 'app',
  'deployment-settings.ts': 'app',
  'log.ts': 'app',
  'log-destination.ts': 'app',
  'readable-line.ts': 'app',
  'metrics.ts': 'app',
  'doctor.ts': 'process',
  'reports.ts': 'app',
  'trust-settings.ts': 'app',
  'unknown-settings.ts': 'app',
};

type Sources = Readonly<Record<string, string>>;

interface Import {
  readonly file: string;
  /** A path below src, or the name of a package. */
  readonly target: string;
  readonly isOfTypes: boolean;
}

const partOf = (file: string) => PART_OF_FILE[file] ?? (file.includes('/') ? file.replace(/\/.*/, '') : file);
const layerOf = (file: string) => LAYERS.findIndex((parts) => parts.includes(partOf(file)));
const isOurs = (target: string) => /\.[tj]s$/.test(target);

/** Written the one way in which the formatter writes them. */
const STATIC = /^(?:import|export)( type)? (?:[\w\s{},*$]+ from )?'([^']+)'/gm;
const DYNAMIC = /\bimport\(\s*'([^']+)'\s*\)/g;

function importsOf(file: string, source: string): readonly Import[] {
  const resolve = (name: string) => (name.startsWith('.') ? join(dirname(file), name) : name);
  return [
    ...[...source.matchAll(STATIC)].map(([, type, name = '']) => ({
      file,
      target: resolve(name),
      isOfTypes: type !== undefined,
    })),
    ...[...source.matchAll(DYNAMIC)].map(([, name = '']) => ({
      file,
      target: resolve(name),
      isOfTypes: false,
    })),
  ];
}

/** What is wrong with one import, if anything. */
function wrongWith({ file, target, isOfTypes }: Import): string | undefined {
  const [from, to] = [partOf(file), partOf(target)];
  if (target === '@slack/bolt' && !isOfTypes && from !== 'slack') return 'Bolt belongs to slack/';
  if (!isOurs(target) || from === to) return undefined;
  const [above, below] = [layerOf(file), layerOf(target)];
  if (above === -1 || below === -1) return 'belongs to no layer';
  if (to === 'sandbox' && file !== 'start.js') return 'nothing uses the sandbox';
  if (target === 'config.ts' && above > layerOf('app.ts')) return 'the settings end at app.ts';
  if (from === 'views' && !isOfTypes) return 'views take types only';
  if (isOfTypes && above < FEATURES) return undefined;
  return above < below ? undefined : 'goes up or sideways';
}

/** Everything in these sources that breaks a rule, a line each. */
function violations(sources: Sources): readonly string[] {
  return Object.entries(sources).flatMap(([file, source]) => {
    const found = importsOf(file, source).flatMap((one) => {
      const wrong = wrongWith(one);
      return wrong === undefined ? [] : [`${file} -> ${one.target}: ${wrong}`];
    });
    if (
      /(?:^|\/)(?:utils?|helpers?|common|shared|types|index)\.[tj]s$/.test(file) &&
      file !== 'commands/index.ts'
    ) {
      found.push(`${file}: a name that says nothing`);
    }
    if (/\bprocess\.env\b/.test(source) && !['run.ts', 'main.ts', 'doctor.ts', 'config.ts'].includes(file)) {
      found.push(`${file}: reads the environment`);
    }
    if (/\bconsole\.\w+\(/.test(source) && file !== 'sandbox/main.ts')
      found.push(`${file}: writes to the console`);
    return found;
  });
}

function readSources(): Sources {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => /\.(?:ts|js|css)$/.test(file) && !file.includes('/vendor/'));
  return Object.fromEntries(files.map((file) => [file, readFileSync(join(SRC, file), 'utf8')]));
}

describe('the architecture', () => {
  const sources = readSources();

  it('holds: imports go down, names say something', () => {
    expect(violations(sources)).toEqual([]);
  });

  it('has a layer for every file', () => {
    expect(Object.keys(sources).filter((file) => layerOf(file) === -1)).toEqual([]);
  });

  it('is read whole: every file but a first one is imported by another, or is a page’s', () => {
    const imported = new Set(
      Object.entries(sources).flatMap(([file, source]) =>
        importsOf(file, source).map(({ target }) => target),
      ),
    );
    const alone = Object.keys(sources).filter(
      (file) => !imported.has(file) && !/\/(page|snippet)\//.test(file),
    );
    expect(alone.toSorted((a, b) => a.localeCompare(b)).filter((file) => !file.endsWith('.d.ts'))).toEqual([
      'start.js',
    ]);
  });
});

describe('the check of the architecture', () => {
  it.each([
    ['commands/a.ts', "import { b } from '../watch/b.ts';", 'goes up or sideways'],
    ['commands/a.ts', "import type { B } from '../session-end/b.ts';", 'goes up or sideways'],
    ['watch/a.ts', "import { b } from '../slack/b.ts';", 'goes up or sideways'],
    ['watch/a.ts', "import type { B } from '../app/b.ts';", 'goes up or sideways'],
    ['cobrowse/a.ts', "import { b } from '../http/b.ts';", 'goes up or sideways'],
    ['tickets/a.ts', "import { b } from '../views/b.ts';", 'goes up or sideways'],
    ['slack/a.ts', "import { b } from '../log.ts';", 'goes up or sideways'],
    ['slack/a.ts', "export { b } from '../app/b.ts';", 'goes up or sideways'],
    ['slack/a.ts', "export * from '../app/b.ts';", 'goes up or sideways'],
    ['storage/a.ts', "const b = await import('../cobrowse/b.ts');", 'goes up or sideways'],
    ['http/a.ts', "import '../app.ts';", 'goes up or sideways'],
    ['http/a.ts', "import {\n  b,\n  type C,\n} from '../tickets/b.ts';", 'goes up or sideways'],
    ['views/a.ts', "import { b } from '../cobrowse/b.ts';", 'views take types only'],
    ['slack/a.ts', "import type { Config } from '../config.ts';", 'the settings end at app.ts'],
    ['app.ts', "import { b } from './sandbox/b.ts';", 'nothing uses the sandbox'],
    ['run.ts', "import type { B } from './sandbox/b.ts';", 'nothing uses the sandbox'],
    ['app/a.ts', "import { App } from '@slack/bolt';", 'Bolt belongs to slack/'],
    ['watch/a.ts', "import { b } from '../somewhere.ts';", 'belongs to no layer'],
    ['views/utils.ts', '', 'a name that says nothing'],
    ['slack/index.ts', '', 'a name that says nothing'],
    ['http/a.ts', 'const { HOME } = process.env;', 'reads the environment'],
    ['http/a.ts', "console.log('here');", 'writes to the console'],
  ])('finds what is wrong in %s with %j', (file, source, complaint) => {
    const found = violations({ [file]: source });
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(complaint);
  });

  it.each([
    ['commands/a.ts', "import { b } from '../views/b.ts';\nimport { c } from './c.ts';"],
    ['slack/a.ts', "import { b } from '../commands/b.ts';\nimport type { Log } from '../log.ts';"],
    ['slack/a.ts', "import { App } from '@slack/bolt';"],
    ['app/a.ts', "import type { App } from '@slack/bolt';\nimport type { Config } from '../config.ts';"],
    ['views/a.ts', "import type { Visitor } from '../cobrowse/schemas.ts';"],
    ['sandbox/a.ts', "import { startApp } from '../app.ts';\nimport { b } from './b/c.ts';"],
    ['run.ts', "import { b } from './storage/b.ts';\nconst from = process.env;"],
    [
      'commands/index.ts',
      "// import { b } from '../app.ts'\nconst text = \"import { b } from '../app.ts'\";",
    ],
  ])('lets pass what is right in %s: %j', (file, source) => {
    expect(violations({ [file]: source })).toEqual([]);
  });
});
