// Plain JavaScript that any Node can read: an old one can't load the rest, and would only name a file extension.
import { existsSync } from 'node:fs';
import module from 'node:module';
import process from 'node:process';

const NEEDED = '22.20';
const PROGRAMS = {
  app: { load: async () => (await import('./run.ts')).run(process), readsSettings: true },
  doctor: { load: () => import('./doctor.ts'), readsSettings: true },
  workspaces: { load: () => import('./manage-workspaces.ts'), readsSettings: true },
  'rotate-keys': { load: () => import('./rotate-keys.ts'), readsSettings: true },
  backup: { load: () => import('./backup.ts'), readsSettings: true },
  restore: { load: () => import('./restore.ts'), readsSettings: true },
  manifest: { load: () => import('./manifest.ts'), readsSettings: false },
  sandbox: { load: loadSandbox, readsSettings: false },
};

async function loadSandbox() {
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

const isOlder = ([major, minor], [neededMajor, neededMinor]) =>
  major < neededMajor || (major === neededMajor && minor < neededMinor);
const numbers = (version) => version.split('.').map(Number);

const [, , name = 'app'] = process.argv;
if (isOlder(numbers(process.versions.node), numbers(NEEDED))) {
  process.stderr.write(
    `Co-browse needs Node ${NEEDED} or newer, and this is Node ${process.versions.node}: start it by npm, ` +
      'which uses the newer Node that "npm ci" installs on Linux x64, or install one from nodejs.org.\n',
  );
  process.exitCode = 1;
} else if (!Object.hasOwn(PROGRAMS, name)) {
  process.stderr.write(`There is no program "${name}". There are: ${Object.keys(PROGRAMS).join(', ')}.\n`);
  process.exitCode = 1;
} else {
  const { load, readsSettings } = PROGRAMS[name];
  // Before anything else is loaded, so that what an earlier start has compiled is used again.
  module.enableCompileCache();
  // The program sees only its own arguments.
  process.argv.splice(2, 1);
  // What is already set wins.
  if (readsSettings && existsSync('.env')) process.loadEnvFile('.env');
  await load();
}
