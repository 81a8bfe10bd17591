/**
 * The one clock of a test: of the app, of the stand-ins and of the test itself. Loaded before each test file (see
 * vitest.config.ts), and by `node --import` into processes that a test starts. It starts at noon on a fixed day, so
 * that no test depends on when it runs. It stands still while the process gets no processor time, so that what is valid
 * for three seconds doesn't expire on a busy machine.
 */
const NOON = Date.parse('2026-03-04T12:00:00Z');
/** In a step that took longer, the process wasn't running. */
const STEP_MS = 20;
/** Where the next test file of the same process finds the clock that is there already. */
const RESTART = Symbol.for('restart the clock of the tests');

function startClock(): void {
  const began = Number(process.env['TEST_CLOCK_MS'] ?? NOON);
  // Before a test puts other timers in their place.
  const machine = performance.now.bind(performance);
  let [lived, seenAt] = [0, machine()];

  const elapsed = (): number => lived + Math.min(machine() - seenAt, STEP_MS);
  setInterval(() => {
    lived = elapsed();
    seenAt = machine();
  }, STEP_MS / 2).unref();

  const now = (): number => began + Math.floor(elapsed());

  globalThis.Date = new Proxy(Date, {
    construct: (target, given, newTarget) => {
      const made: unknown = Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget);
      if (made instanceof Object) return made;
      throw new TypeError('A date is an object.');
    },
    get: (target, key) => (key === 'now' ? now : Reflect.get(target, key)),
  });
  Reflect.set(globalThis, RESTART, () => {
    [lived, seenAt] = [0, machine()];
  });
}

const restart: unknown = Reflect.get(globalThis, RESTART);
if (typeof restart === 'function') Reflect.apply(restart, undefined, []);
else startClock();
