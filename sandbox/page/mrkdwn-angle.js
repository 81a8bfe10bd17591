import { isSafeAddress } from './address.js';
import { decodeEntities } from './entities.js';

/**
 * Reads what is between `<` and `>` in mrkdwn: a mention, a date or a link.
 * @param {string} inside
 * @returns {import('./mrkdwn.js').Inline | null} null if Slack would show the characters as they are
 */
export function readAngle(inside) {
  const bar = inside.indexOf('|');
  const target = bar === -1 ? inside : inside.slice(0, bar);
  const label = bar === -1 ? '' : decodeEntities(inside.slice(bar + 1));
  if (/^@[UW][A-Z0-9]+$/.test(target)) return { type: 'user', id: target.slice(1), label };
  if (/^#[CDG][A-Z0-9]+$/.test(target)) return { type: 'channel', id: target.slice(1), label };
  if (target.startsWith('!')) return readSpecial(target.slice(1), label);
  if (!isSafeAddress(target)) return null;
  const url = decodeEntities(target);
  return { type: 'link', url, label: label === '' ? url.replace(/^(?:mailto|tel):/i, '') : label };
}

/** @param {string} special @param {string} label */
function readSpecial(special, label) {
  if (['here', 'channel', 'everyone'].includes(special)) return { type: 'broadcast', range: special };
  const [kind, first = '', format = '', url = ''] = special.split('^');
  if (kind === 'subteam') return { type: 'group', id: first, label };
  if (kind !== 'date' || !/^\d{1,12}$/.test(first)) return null;
  return {
    type: 'date',
    timestamp: Number(first),
    format: decodeEntities(format),
    url: isSafeAddress(url) ? decodeEntities(url) : '',
    fallback: label,
  };
}
