const CLOCK = new URL('clock.ts', import.meta.url).href;

/** What Node is given to start a program on the test's clock, before the program's own path. */
export const ON_TEST_CLOCK = ['--import', CLOCK] as const;

/** Settings for such a program: how late it starts, and where compiled code is shared. */
export const settingsOfChild = () => ({
  TEST_CLOCK_MS: String(Date.now()),
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
});
