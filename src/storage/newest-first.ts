/** Larger than any time in milliseconds that will be. */
const FAR_FUTURE = 10 ** 14;

/** A time, milliseconds since 1970, as part of a key: in the order of keys the newest comes first. */
export const newestFirst = (time: number): string => String(FAR_FUTURE - Math.round(time)).padStart(15, '0');
