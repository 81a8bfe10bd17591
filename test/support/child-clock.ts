const CLOCK = new URL('clock.ts', import.meta.url).href;

/** What Node is given to start a program on the test's clock, before the program's own path. */
export const ON_TEST_CLOCK = ['--import', CLOCK] as const;

/** The setting that tells such a program how late it is. */
export const testClockSetting = () => ({ TEST_CLOCK_MS: String(Date.now()) });
