import { existsSync } from 'node:fs';

import { chromium } from 'playwright-core';
import type { Browser } from 'playwright-core';

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  (path) => existsSync(path),
);

/** Whether these tests can run here. */
export const hasChromium = executablePath !== undefined;

/** What to do about tests that were skipped. */
export const howToGetChromium = 'needs Chromium: sudo apt-get install chromium';

/** Starts a browser of its own profile that talks to nobody but the page under test. */
export const launchChromium = (): Promise<Browser> =>
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
