import type { Logger, LogLevel } from '@slack/bolt';
import type { Log } from '../log.ts';

const text = (parts: readonly unknown[]) =>
  parts.map((part) => (part instanceof Error ? part.message : String(part))).join(' ');

/** Bolt's and web-api's logger over ours: their lines, too, go through the scrubber. */
export function createBoltLogger(log: Log, boltLevel: LogLevel): Logger {
  const child = log.child({ from: 'bolt' });
  return {
    debug: (...parts) => child.debug(text(parts)),
    info: (...parts) => child.debug(text(parts)),
    warn: (...parts) => child.warn(text(parts)),
    error: (...parts) => child.error(text(parts)),
    // The level is ours to set.
    setLevel: () => undefined,
    getLevel: () => boltLevel,
    setName: () => undefined,
  };
}
