const SAFE = /^(?:https?:\/\/|mailto:|tel:)/i;
const WEB = /^https?:\/\//i;

/**
 * Whether an address may become a link: web, mail and telephone only, as in Slack.
 * @param {unknown} address
 * @returns {boolean}
 */
export function isSafeAddress(address) {
  return typeof address === 'string' && SAFE.test(address);
}

/**
 * Whether an address opens a page, and so a new tab.
 * @param {string} address
 * @returns {boolean}
 */
export function isWebAddress(address) {
  return WEB.test(address);
}
