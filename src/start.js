#!/usr/bin/env node
// Plain JavaScript that any Node can read: an old one can't load the rest, and would only name a file extension.
import { existsSync, readFileSync } from 'node:fs';
import module from 'node:module';
import process from 'node:process';

const NEEDED = '22.20';
/** Else it's what `npm run build` made of it. */
const isCheckout = existsSync(new URL('../sandbox/main.ts', import.meta.url));

/** `load` gives a file with `run(process, typed)`, false if it doesn't understand; `forms`: what can be typed after its name. */
const SUBCOMMANDS = {
  start: { does: 'Starts the app (the default)', load: () => ({ run: runApp }) },
  doctor: { does: 'Checks the setup and says what to do', load: () => import('./cli/doctor.ts') },
  healthcheck: {
    does: 'Asks the app at HOST and PORT if it’s alive',
    load: () => import('./cli/healthcheck.ts'),
  },
  backup: {
    does: 'Copies the database into a new file, while the app runs or not',
    forms: ['FILE'],
    load: () => import('./cli/backup.ts'),
  },
  restore: {
    does: 'Puts a backup in the place of the database, while no app runs',
    forms: ['FILE', '--mark    (after pg_restore, or where the whole disk was put back)'],
    load: () => import('./cli/restore.ts'),
  },
  'rotate-keys': {
    does: 'Seals the keys of all workspaces with the first of SECRET_KEYS',
    load: () => import('./cli/rotate-keys.ts'),
  },
  workspaces: {
    does: 'Lists the workspaces that installed the app, removes one for good, or has their tokens rotate',
    forms: ['', 'purge T0123456789', 'rotate'],
    load: () => import('./cli/manage-workspaces.ts'),
  },
  manifest: {
    does: 'Prints the manifest for your address. Paste it where Slack asks for one',
    forms: [
      'https://cobrowse.example.org',
      '--socket    (Socket Mode, which needs no address)',
      '--many https://cobrowse.example.org    (for workspaces that install the app)',
      '--organization https://cobrowse.example.org    (the same, and for Enterprise organizations)',
      'https://cobrowse.example.org --slackbot    (so that people can ask Slackbot; with the others, too)',
    ],
    readsNoSettings: true,
    load: () => import('./cli/manifest.ts'),
  },
  ...(isCheckout && {
    sandbox: {
      does: 'Runs the app between a stand-in Slack and a stand-in service',
      readsNoSettings: true,
      helpsItself: true,
      load: () => ({ run: runSandbox }),
    },
  }),
};

async function runApp() {
  if (process.stdin.isTTY && process.stdout.isTTY && !existsSync('.env')) {
    const { askForSettings } = await import('./cli/first-start.ts');
    if (!(await askForSettings(process.env))) {
      process.exitCode = 1;
      return;
    }
    loadSettings();
  }
  const { run } = await import('./run.ts');
  await run(process);
}

async function runSandbox() {
  try {
    await import('../sandbox/main.ts');
  } catch (error) {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    process.stderr.write(
      'The sandbox needs packages that the app does without: run "npm ci" without --omit=dev.\n',
    );
    process.exitCode = 1;
  }
}

/** Lines of `.env` whose value is cut at a number sign that's part of it, as in SUMMARY_CHANNEL=#support or a password. */
const CUT = /^[ \t]*(?:export[ \t]+)?(\w+)[ \t]*=(?:[ \t]*[^\s'"`#](?:[^\n#]*[^\s#])?)?#\S/gm;

/** What is already set wins. */
function loadSettings() {
  if (!existsSync('.env')) return;
  for (const [, name] of readFileSync('.env', 'utf8').matchAll(CUT)) {
    process.stderr.write(
      `.env: what follows # in ${name} is taken for a comment. Put the value in quotes.\n`,
    );
  }
  process.loadEnvFile('.env');
}

/** By npm in a checkout: it brings a Node that is new enough. */
function typed(name, form) {
  if (!isCheckout) return `  cobrowse-for-slack ${name} ${form}`.trimEnd();
  return `  npm run --silent ${name}${form === '' ? '' : ` -- ${form}`}`;
}

const usageOf = (name, { does, forms = [''] }) =>
  [`${does}:`, '', ...forms.map((form) => typed(name, form)), ''].join('\n');

function help() {
  const lines = Object.entries(SUBCOMMANDS).map(([name, { does }]) => `  ${name.padEnd(12)}  ${does}`);
  return `Co-browse for Slack:\n\n${lines.join('\n')}\n\nMore about one of them:\n\n${typed('doctor', '--help')}\n\nIts version: --version\n`;
}

function misused(usage) {
  process.stderr.write(usage);
  process.exitCode = 2;
}

const isOlder = ([major, minor], [neededMajor, neededMinor]) =>
  major < neededMajor || (major === neededMajor && minor < neededMinor);
const numbers = (version) => version.split('.').map(Number);

const [, , name = 'start', ...words] = process.argv;
if (isOlder(numbers(process.versions.node), numbers(NEEDED))) {
  const orByNpm = isCheckout
    ? 'start it by npm, which uses the newer Node that "npm ci" installs on Linux x64, or '
    : '';
  process.stderr.write(
    `Co-browse needs Node ${NEEDED} or newer, and this is Node ${process.versions.node}: ${orByNpm}install one from nodejs.org.\n`,
  );
  process.exitCode = 1;
} else if (name === '--help') {
  process.stdout.write(help());
} else if (name === '--version') {
  const { VERSION } = await import('./version.ts');
  process.stdout.write(`${VERSION}\n`);
} else if (!Object.hasOwn(SUBCOMMANDS, name)) {
  process.stderr.write(
    `There is no subcommand "${name}". There are: ${Object.keys(SUBCOMMANDS).join(', ')}.\n`,
  );
  process.exitCode = 1;
} else {
  const { forms, load, readsNoSettings, helpsItself } = SUBCOMMANDS[name];
  const usage = usageOf(name, SUBCOMMANDS[name]);
  if (words.includes('--help') && !helpsItself) process.stdout.write(usage);
  else if (words.length > 0 && forms === undefined && !helpsItself) misused(usage);
  else {
    // Before anything else is loaded, so that what an earlier start has compiled is used again.
    module.enableCompileCache();
    // So that stacks name the source.
    if (!isCheckout) process.setSourceMapsEnabled(true);
    // The program sees only its own arguments.
    process.argv.splice(2, 1);
    if (!readsNoSettings) loadSettings();
    const { run } = await load();
    if ((await run(process)) === false) misused(usage);
  }
}
