import { z } from 'zod';

/**
 * Preloaded into the app's process (`node --import`): a clock that the test steers by messages, so that hours pass in
 * seconds and the clock of the machine can jump.
 *
 * - `leapMs`: time passes: what both clocks say and what timers wait for.
 * - `skewMs`: the wall clock alone is wrong by so much, as after a correction; nothing else knows of it.
 *
 * How long a call may take (`AbortSignal.timeout`) is divided by `LIMITS_DIVIDED_BY`, and untouched by leaps: the answer of a stand-in
 * comes by the real clock, and so `process.hrtime`, by which claims last, tells that one. The timers of PostgreSQL's driver,
 * and ours around it and for webhooks, are untouched, too: they only limit how long the database may take.
 */
const Steering = z.object({ leapMs: z.number().default(0), skewMs: z.number().optional() });

const offsetMs = Number(process.env['CLOCK_OFFSET_MS'] ?? 0);
let skewMs = 0;
let leaptMs = 0;
const readClock = Date.now;
const machine = performance.now.bind(performance);
const now = (): number => readClock() + offsetMs + leaptMs + skewMs;
performance.now = () => machine() + leaptMs;

globalThis.Date = new Proxy(Date, {
  construct: (target, given, newTarget) => {
    const made: unknown = Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget);
    if (made instanceof Object) return made;
    throw new TypeError('A date is an object.');
  },
  get: (target, key) => (key === 'now' ? now : Reflect.get(target, key)),
});

/** When each timer is due, by the machine's time. */
const due = new Map<NodeJS.Timeout, number>();
const { setTimeout: start, clearTimeout: end, setInterval: startRepeating } = globalThis;

/** Whether a timer limits how long somebody waits for an answer: under this function stand `setTimeout` and its caller. */
const isForAnswer = (): boolean =>
  /\/(?:node_modules\/pg(?:-pool)?\/|database\/postgres-statements\.ts)|\binTime \(/u.test(
    new Error().stack?.split('\n')[3] ?? '',
  );

type Callback = (...given: readonly unknown[]) => void;

/** Node has one function for both. */
const clear = {
  value(timer: NodeJS.Timeout | undefined) {
    if (timer !== undefined) due.delete(timer);
    end(timer);
  },
};

Object.defineProperties(globalThis, {
  setTimeout: {
    value(callback: Callback, delayMs = 1, ...given: readonly unknown[]) {
      if (isForAnswer()) return start(callback, delayMs, ...given);
      const timer = start(() => {
        due.delete(timer);
        callback(...given);
      }, delayMs);
      due.set(timer, machine() + delayMs);
      return timer;
    },
  },
  // However far a leap goes, it rings once, as after a machine's sleep; Node itself then waits the usual time again.
  setInterval: {
    value(callback: Callback, everyMs = 1, ...given: readonly unknown[]) {
      const timer = startRepeating(() => {
        due.set(timer, machine() + everyMs);
        callback(...given);
      }, everyMs);
      due.set(timer, machine() + everyMs);
      return timer;
    },
  },
  clearTimeout: clear,
  clearInterval: clear,
});

const limit = AbortSignal.timeout.bind(AbortSignal);
const limitsDividedBy = Number(process.env['LIMITS_DIVIDED_BY'] ?? 1);
AbortSignal.timeout = (ms) => limit(ms / limitsDividedBy);

function leap(ms: number): void {
  leaptMs += ms;
  for (const [timer, at] of due) {
    due.set(timer, at - ms);
    // Node offers no way to change what a timer waits for but to start it again with another time.
    Reflect.set(timer, '_idleTimeout', Math.max(1, at - ms - machine()));
    timer.refresh();
  }
}

process.on('message', (message) => {
  const steering = Steering.parse(message);
  if (steering.skewMs !== undefined) skewMs = steering.skewMs;
  if (steering.leapMs > 0) leap(steering.leapMs);
});
// Listening to the test must not keep the app alive.
process.channel?.unref();
