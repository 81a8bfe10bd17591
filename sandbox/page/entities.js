/**
 * Slack escapes three characters in text and decodes only those.
 * @param {string} text
 * @returns {string}
 */
export function decodeEntities(text) {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
