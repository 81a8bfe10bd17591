import { LogLevel } from '@slack/bolt';
import type { Logger } from '@slack/bolt';
import type { Log } from '../log.ts';

const text = (parts: readonly unknown[]) =>
  parts.map((part) => (part instanceof Error ? part.message : String(part))).join(' ');

/**
 * Routes the loggers of Bolt and web-api into ours, so their lines go through the scrubber too. Their debug lines are
 * dropped at any level: they hold whole requests and answers, with watch links, profiles and what people typed.
 */
export function createBoltLogger(log: Log): Logger {
  const child = log.child({ from: 'bolt' });
  return {
    debug: () => undefined,
    info: (...parts) => child.debug(text(parts)),
    warn: (...parts) => child.warn(text(parts)),
    error: (...parts) => child.error(text(parts)),
    // We set the level.
    setLevel: () => undefined,
    getLevel: () => LogLevel.WARN,
    setName: () => undefined,
  };
}
