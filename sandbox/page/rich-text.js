import { html } from './vendor/lit-html/lit-html.js';
import { isSafeAddress } from './address.js';
import { channelMention, link, userGroupMention, userMention } from './mention.js';
import { dateText } from './text-object.js';

/**
 * A `rich_text` block.
 * @param {import('./page.js').Snapshot} snapshot
 * @param {{ elements: readonly object[] }} block
 */
export function richText(snapshot, block) {
  return html`<div class="rich-text">${block.elements.map((part) => drawPart(snapshot, part))}</div>`;
}

/** @param {import('./page.js').Snapshot} snapshot @param {object} part */
function drawPart(snapshot, part) {
  if (part.type === 'rich_text_list') {
    const items = part.elements.map((item) => html`<li>${drawPart(snapshot, item)}</li>`);
    return html`<ul class="list">
      ${items}
    </ul>`;
  }
  const children = part.elements.map((element) => drawElement(snapshot, element));
  return html`<span class="line plain">${children}</span>`;
}

/** @param {import('./page.js').Snapshot} snapshot @param {object} element */
function drawElement(snapshot, element) {
  const { bold, code } = element.style ?? {};
  const bare = drawBare(snapshot, element);
  const drawn = code ? html`<code>${bare}</code>` : bare;
  return bold ? html`<strong>${drawn}</strong>` : drawn;
}

/** @param {import('./page.js').Snapshot} snapshot @param {object} element */
function drawBare(snapshot, element) {
  switch (element.type) {
    case 'link':
      return isSafeAddress(element.url)
        ? link(element.url, element.text ?? element.url)
        : (element.text ?? '');
    case 'user':
      return userMention(snapshot, element.user_id);
    case 'channel':
      return channelMention(snapshot, element.channel_id, '');
    case 'usergroup':
      return userGroupMention(snapshot, element.usergroup_id, '');
    case 'emoji':
      return drawEmoji(element);
    case 'date':
      return dateText({ ...element, url: isSafeAddress(element.url) ? element.url : '' });
    default:
      return element.text ?? '';
  }
}

/** @param {{ name: string, unicode?: string }} emoji unicode: code points in hexadecimal, joined by "-" */
function drawEmoji({ name, unicode }) {
  const codes = (unicode ?? '').split('-').map((code) => Number.parseInt(code, 16));
  if (codes.some((code) => !(code >= 0 && code <= 0x10_ff_ff))) return `:${name}:`;
  return html`<span role="img" aria-label=${name.replaceAll('_', ' ')}
    >${String.fromCodePoint(...codes)}</span
  >`;
}
