import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium } from 'playwright-core';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];
const folders = ['/usr/bin', ...(process.env.PATH ?? '').split(delimiter)].filter((folder) => folder !== '');
const executablePath = folders
  .flatMap((folder) => NAMES.map((name) => join(folder, name)))
  .find((path) => existsSync(path));

/** Whether tests that need a browser can run here. */
export const hasChromium = executablePath !== undefined;

if (!hasChromium) {
  process.stderr.write(
    'Tests in Chromium are skipped: none was found. Get it by: apt-get install chromium\n',
  );
}

/** A browser with a profile of its own, which asks nobody for updates or the like. */
const launch = (): Promise<Browser> =>
  chromium.launch({
    ...(executablePath === undefined ? {} : { executablePath }),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });

/** One browser for the tests of a suite; the function it gives is for inside a test or hook. */
export function useChromium(): () => Browser {
  let launched: Browser | undefined;
  beforeAll(async () => {
    launched = await launch();
  });
  afterAll(() => launched?.close());
  return () => {
    if (launched === undefined) throw new Error('The browser has not started.');
    return launched;
  };
}
