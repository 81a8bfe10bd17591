import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildInto } from '../support/built.ts';
import { startMeasured, type Measured, type Settings } from './child.ts';
import { startLoader, type Loader } from './loader.ts';

export const SIGNING_SECRET = 'bench-signing-secret';
export const SECRET_KEY = 'bench-secret-key-of-32-bytes-and-more';

export const APP = new URL('../../src/start.js', import.meta.url);
export const variant = (name: string) => new URL(`variants/${name}`, import.meta.url);

/** How a program is measured. */
interface Measuring {
  /** Fills its store before it starts. @param url as in STORE_URL */
  readonly fill?: (url: string) => Promise<void>;
  /** What of it is counted though counting costs something itself. */
  readonly watch?: 'stalls' | 'statements';
  /** Over the usual ones. */
  readonly settings?: Settings;
}

/** What every benchmark stands on. */
export interface Surroundings {
  readonly rounds: number;
  /** How many summaries wait in a backlog. */
  readonly backlog: number;
  readonly loader: Loader;
  readonly upstream: Measured;
  /** Starts a program with the settings of the app and a folder of its own, and stops it after the work. */
  readonly measuring: <Value>(
    program: URL,
    work: (measured: Measured) => Promise<Value>,
    how?: Measuring,
  ) => Promise<Value>;
  close(): Promise<void>;
}

const storeIn = (folder: string) => `sqlite:${join(folder, 'store.db')}`;

/** The settings of the app, which all programs get. @param folder for the store and for compiled code */
export function settingsFor(upstream: Measured, folder: string): Settings {
  return {
    SLACK_SIGNING_SECRET: SIGNING_SECRET,
    SLACK_BOT_TOKEN: 'xoxb-bench',
    SLACK_API_URL: `${upstream.origin}/api`,
    COBROWSE_BASE_URL: upstream.origin,
    COBROWSE_API_KEY: 'bench-key',
    PUBLIC_URL: 'https://app.example',
    PORT: '0',
    STORE_URL: storeIn(folder),
    DRAIN_SECONDS: '0',
    SECRET_KEYS: SECRET_KEY,
    TMPDIR: folder,
  };
}

export async function inFolder<Value>(work: (folder: string) => Promise<Value>): Promise<Value> {
  const folder = await mkdtemp(join(tmpdir(), 'cobrowse-bench-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Does something with what `npm run build` makes now. */
export const inBuilt = <Value>(work: (program: URL) => Promise<Value>): Promise<Value> =>
  inFolder(async (folder) => {
    await buildInto(folder);
    return work(pathToFileURL(join(folder, 'start.js')));
  });

export async function surround(rounds: number, backlog: number): Promise<Surroundings> {
  const upstream = await startMeasured(new URL('upstream.ts', import.meta.url), {});
  const loader = startLoader();
  return {
    rounds,
    backlog,
    loader,
    upstream,
    measuring: (program, work, { fill, watch, settings = {} } = {}) =>
      inFolder(async (folder) => {
        await fill?.(storeIn(folder));
        const watched: Record<string, string> = watch === undefined ? {} : { BENCH_WATCH: watch };
        const measured = await startMeasured(program, {
          ...settingsFor(upstream, folder),
          ...watched,
          ...settings,
        });
        try {
          return await work(measured);
        } finally {
          await measured.stop();
        }
      }),
    close: async () => void (await Promise.all([loader.stop(), upstream.stop()])),
  };
}
