import { html } from './vendor/lit-html/lit-html.js';
import { isWebAddress } from './address.js';
import { userById } from './page.js';

/** @param {import('./page.js').Snapshot} snapshot @param {string} id */
export function userMention(snapshot, id) {
  const own = id === snapshot.me ? 'mention own' : 'mention';
  return html`<span class=${own}>@${userById(snapshot, id).name}</span>`;
}

/** @param {import('./page.js').Snapshot} snapshot @param {string} id @param {string} label used where the channel is not visible */
export function channelMention(snapshot, id, label) {
  const channel = snapshot.channels.find((one) => one.id === id);
  if (channel === undefined) return html`<span class="mention">#${label === '' ? id : label}</span>`;
  return html`<a class="mention" href="#${channel.id}">#${channel.name}</a>`;
}

/** A mention of many: it is marked, so that text which only looks like one can be told apart. @param {string} name */
export function groupMention(name) {
  return html`<span class="mention own">@${name.replace(/^@/, '')}</span>`;
}

/** @param {string} url already found safe @param {unknown} content */
export function link(url, content) {
  if (!isWebAddress(url)) return html`<a href=${url}>${content}</a>`;
  return html`<a href=${url} target="_blank" rel="noopener noreferrer">${content}</a>`;
}
