const LOCALE = 'en-US';
const SECONDS_A_DAY = 86_400;

/** @type {Record<string, Intl.DateTimeFormatOptions>} */
const FORMATS = {
  date_num: { year: 'numeric', month: '2-digit', day: '2-digit' },
  date: { year: 'numeric', month: 'long', day: 'numeric' },
  date_short: { year: 'numeric', month: 'short', day: 'numeric' },
  date_long: { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' },
  time: { hour: 'numeric', minute: '2-digit' },
  time_secs: { hour: 'numeric', minute: '2-digit', second: '2-digit' },
};

/** @param {string} ts Slack's message time: seconds, a dot, a counter @returns {Date} */
export function dateOfTs(ts) {
  return new Date(Math.trunc(Number(ts)) * 1000);
}

/** @param {Date} date @param {string} format one of Slack's date tokens without braces @returns {string} */
function formatOne(date, format) {
  return new Intl.DateTimeFormat(LOCALE, FORMATS[format]).format(date);
}

/** @param {Date} date @returns {string} such as "10:32 AM" */
export function clockTime(date) {
  return formatOne(date, 'time');
}

/** @param {Date} date @returns {string} such as "Friday, November 21, 2025 at 10:32:05 AM" */
export function fullTime(date) {
  return `${formatOne(date, 'date_long')} at ${formatOne(date, 'time_secs')}`;
}

/** @param {Date} date @param {Date} now @returns {string} "Today", "Yesterday" or the day in words */
export function dayName(date, now) {
  const near = nearDay(date, now);
  if (near !== '') return near;
  return new Intl.DateTimeFormat(LOCALE, { weekday: 'long', month: 'long', day: 'numeric' }).format(date);
}

/** @param {Date} date @param {Date} now */
function nearDay(date, now) {
  const yesterday = new Date(now.getTime() - SECONDS_A_DAY * 1000);
  if (date.toDateString() === now.toDateString()) return 'Today';
  return date.toDateString() === yesterday.toDateString() ? 'Yesterday' : '';
}

/** @param {Date} date @param {Date} now */
function ago(date, now) {
  const seconds = Math.round((date.getTime() - now.getTime()) / 1000);
  const units = [
    ['day', SECONDS_A_DAY],
    ['hour', 3600],
    ['minute', 60],
  ];
  const [unit, size] = units.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1];
  return new Intl.RelativeTimeFormat(LOCALE).format(Math.round(seconds / size), unit);
}

/**
 * Slack's date text: `{date_short_pretty} at {time}` and the like, in the reader's time zone.
 * @param {number} timestamp seconds
 * @param {string} format
 * @param {Date} now
 * @returns {string} words; an unknown token stays as typed
 */
export function formatDate(timestamp, format, now) {
  const date = new Date(timestamp * 1000);
  return format.replaceAll(/\{(\w+)\}/g, (whole, token) => {
    if (token === 'ago') return ago(date, now);
    const base = token.replace(/_pretty$/, '');
    if (FORMATS[base] === undefined) return whole;
    return (base === token ? '' : nearDay(date, now)) || formatOne(date, base);
  });
}
