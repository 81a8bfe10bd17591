import { chromium, type Browser } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { chromiumPath } from './machine.ts';

/** Whether tests that need a browser can run here. */
export const hasChromium = chromiumPath !== undefined;

/** Puts the clock of a page right, which otherwise is the machine's. Runs in the browser. */
function shiftClock(aheadMs: number): void {
  const machine = Date.now;
  globalThis.Date = new Proxy(Date, {
    construct: (target, given, newTarget) => {
      const made: unknown = Reflect.construct(
        target,
        given.length === 0 ? [machine() + aheadMs] : given,
        newTarget,
      );
      if (made instanceof Object) return made;
      throw new TypeError('A date is an object.');
    },
    get: (target, key) => (key === 'now' ? () => machine() + aheadMs : Reflect.get(target, key)),
  });
}

/** Every page is on the test's clock: see clock.ts. */
function onTestClock(browser: Browser): Browser {
  const open = browser.newContext.bind(browser);
  const newContext: Browser['newContext'] = async (options) => {
    // Nothing here is about motion, and each frame of one costs time.
    const context = await open({ reducedMotion: 'reduce', ...options });
    await context.addInitScript(shiftClock, Date.now() - (performance.timeOrigin + performance.now()));
    return context;
  };
  return Object.assign(browser, { newContext });
}

/**
 * Drawn by a Chromium with windows for each of them, though nobody sees it: the list below the address bar, twice. It
 * took a third of the work of opening a page. Only the last such argument applies: the rest is Playwright's.
 */
const disabledFeatures = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
];

/** A browser with a separate profile, without update checks and the like, most of which Playwright turns off. */
const launch = async (): Promise<Browser> => {
  const browser = await chromium.launch({
    executablePath: chromiumPath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      `--disable-features=${disabledFeatures.join(',')}`,
    ],
  });
  return onTestClock(browser);
};

/** One for all files of this process; it ends with the process. */
let launching: Promise<Browser> | undefined;

/** The browser; call the function inside a test or hook. Whatever a suite's tests leave open is closed after them. */
export function useChromium(): () => Browser {
  let launched: Browser | undefined;
  beforeAll(async () => {
    launching ??= launch();
    launched = await launching;
  });
  afterAll(async () => {
    await Promise.all((launched?.contexts() ?? []).map((context) => context.close()));
  });
  return () => {
    if (launched === undefined) throw new Error('The browser has not started.');
    return launched;
  };
}
