/** @param {import('../slack/page-api.ts').PageChannel} channel @returns {string} "#support", or a person's name */
export function title(channel) {
  return channel.kind === 'dm' ? channel.name : `#${channel.name}`;
}
