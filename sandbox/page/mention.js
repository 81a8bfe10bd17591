import { html } from './vendor/lit-html/lit-html.js';
import { isWebAddress } from './address.js';
import { userById } from './page.js';

/** @param {import('./page.js').Snapshot} snapshot @param {string} id */
export function userMention(snapshot, id) {
  const own = id === snapshot.me ? 'mention own' : 'mention';
  return html`<span class=${own}>@${userById(snapshot, id).name}</span>`;
}

/**
 * @param {import('./page.js').Snapshot} snapshot @param {string} id @param {string} label used if the channel isn't
 *   visible
 */
export function channelMention(snapshot, id, label) {
  const channel = snapshot.channels.find((one) => one.id === id);
  if (channel === undefined) return html`<span class="mention">#${label === '' ? id : label}</span>`;
  return html`<a class="mention" href="#${channel.id}">#${channel.name}</a>`;
}

/** A mention of many people, marked so that text which only looks like one can be told apart. @param {string} name */
export function groupMention(name) {
  return html`<span class="mention own">@${name.replace(/^@/, '')}</span>`;
}

/** @param {import('./page.js').Snapshot} snapshot @param {string} id @param {string} label used for an unknown group */
export function userGroupMention(snapshot, id, label) {
  const group = snapshot.user_groups.find((one) => one.id === id);
  return groupMention(group?.handle ?? (label === '' ? id : label));
}

/** @param {string} url already checked @param {unknown} content */
export function link(url, content) {
  const place = placeOf(url);
  if (place !== '') return html`<a href=${place}>${content}</a>`;
  if (!isWebAddress(url)) return html`<a href=${url}>${content}</a>`;
  return html`<a href=${url} target="_blank" rel="noopener noreferrer">${content}</a>`;
}

/**
 * Where a message's permalink leads on this page. @param {string} url @returns {string} such as "#C0/1.000001"; empty
 * for any other address
 */
function placeOf(url) {
  if (!url.startsWith(`${location.origin}/archives/`)) return '';
  const [, channel, seconds, rest] = /\/archives\/([A-Z0-9]+)\/p(\d+)(\d{6})(?:\?|$)/.exec(url) ?? [];
  return channel === undefined ? '' : `#${channel}/${seconds}.${rest}`;
}
