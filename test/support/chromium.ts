import { chromium } from 'playwright-core';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { chromiumPath } from './machine.ts';

/** Whether tests that need a browser can run here. */
export const hasChromium = chromiumPath !== undefined;

/** A browser with a profile of its own, which asks nobody for updates or the like. */
const launch = (): Promise<Browser> =>
  chromium.launch({
    ...(chromiumPath === undefined ? {} : { executablePath: chromiumPath }),
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
