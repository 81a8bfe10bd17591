import { html } from './vendor/lit-html/lit-html.js';
import { channelMention, groupMention, link, userGroupMention, userMention } from './mention.js';
import { parseMrkdwn } from './mrkdwn.js';
import { formatDate } from './time.js';

/**
 * A Block Kit text object. Plain text stays as it is, character for character.
 * @param {import('./page.js').Snapshot} snapshot
 * @param {{ type: string, text: string } | undefined} object
 */
export function textObject(snapshot, object) {
  if (object === undefined) return '';
  return object.type === 'mrkdwn'
    ? mrkdwn(snapshot, object.text)
    : html`<span class="plain">${object.text}</span>`;
}

/** @param {import('./page.js').Snapshot} snapshot @param {string} text */
export function mrkdwn(snapshot, text) {
  return parseMrkdwn(text).map((line) => html`<span class="line">${drawAll(snapshot, line)}</span>`);
}

/** @param {import('./page.js').Snapshot} snapshot @param {import('./mrkdwn.js').Inline[]} nodes */
function drawAll(snapshot, nodes) {
  return nodes.map((node) => drawInline(snapshot, node));
}

/** @param {import('./page.js').Snapshot} snapshot @param {import('./mrkdwn.js').Inline} node */
function drawInline(snapshot, node) {
  const inner = () => drawAll(snapshot, node.children);
  switch (node.type) {
    case 'bold':
      return html`<strong>${inner()}</strong>`;
    case 'italic':
      return html`<em>${inner()}</em>`;
    case 'strike':
      return html`<s>${inner()}</s>`;
    case 'code':
      return html`<code>${inner()}</code>`;
    case 'link':
      return link(node.url, node.label);
    case 'user':
      return userMention(snapshot, node.id);
    case 'channel':
      return channelMention(snapshot, node.id, node.label);
    case 'broadcast':
      return groupMention(node.range);
    case 'group':
      return userGroupMention(snapshot, node.id, node.label);
    case 'date':
      return dateText(node);
    default:
      return node.text;
  }
}

/** A date in the reader's time zone. @param {{ timestamp: number, format: string, url?: string }} date */
export function dateText({ timestamp, format, url }) {
  const words = formatDate(timestamp, format, new Date());
  const time = html`<time datetime=${new Date(timestamp * 1000).toISOString()}>${words}</time>`;
  return url ? link(url, time) : time;
}
