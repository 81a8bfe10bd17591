import { LogLevel } from '@slack/bolt';
import type { Logger } from '@slack/bolt';
import type { Log } from '../log.ts';

const text = (parts: readonly unknown[]) =>
  parts.map((part) => (part instanceof Error ? part.message : String(part))).join(' ');

/**
 * Bolt's and web-api's logger over ours: their lines, too, go through the scrubber. Their debug lines go nowhere at
 * any level: they hold whole requests and answers, with watch links, profiles and what people typed.
 */
export function createBoltLogger(log: Log): Logger {
  const child = log.child({ from: 'bolt' });
  return {
    debug: () => undefined,
    info: (...parts) => child.debug(text(parts)),
    warn: (...parts) => child.warn(text(parts)),
    error: (...parts) => child.error(text(parts)),
    // The level is ours to set.
    setLevel: () => undefined,
    getLevel: () => LogLevel.WARN,
    setName: () => undefined,
  };
}
