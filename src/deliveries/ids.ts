import { randomBytes } from 'node:crypto';

/** Enough for any time to come. */
const TIME_DIGITS = 9;
const COUNT_DIGITS = 4;

/** How all ids made at a time begin; earlier ids sort before it. Milliseconds since 1970. */
export const idsFrom = (time: number): string =>
  Math.max(0, Math.floor(time)).toString(36).padStart(TIME_DIGITS, '0');

/** Makes unique ids that sort in the order in which a process made them. */
export type NewId = () => string;

export function createIds(now: () => number): NewId {
  let count = 0;
  return () => {
    count = (count + 1) % 36 ** COUNT_DIGITS;
    return `${idsFrom(now())}${count.toString(36).padStart(COUNT_DIGITS, '0')}${randomBytes(6).toString('hex')}`;
  };
}
