import { html } from './vendor/lit-html/lit-html.js';
import { isSafeAddress } from './address.js';
import { channelMention, groupMention, link, userGroupMention, userMention } from './mention.js';
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
  const children = () => part.elements.map((element) => drawElement(snapshot, element));
  switch (part.type) {
    case 'rich_text_list':
      return drawList(snapshot, part);
    case 'rich_text_quote':
      return html`<blockquote class="quote plain">${children()}</blockquote>`;
    case 'rich_text_preformatted':
      return html`<pre class="preformatted">${children()}</pre>`;
    default:
      return html`<span class="line plain">${children()}</span>`;
  }
}

/** @param {import('./page.js').Snapshot} snapshot @param {object} list */
function drawList(snapshot, { style, indent = 0, offset = 0, elements }) {
  const items = elements.map((item) => html`<li>${drawPart(snapshot, item)}</li>`);
  const className = `list indent-${Math.min(indent, 4)}`;
  if (style === 'ordered')
    return html`<ol class=${className} start=${offset + 1}>
      ${items}
    </ol>`;
  return html`<ul class=${className}>
    ${items}
  </ul>`;
}

/** @param {import('./page.js').Snapshot} snapshot @param {object} element */
function drawElement(snapshot, element) {
  return drawStyle(element.style ?? {}, drawBare(snapshot, element));
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
    case 'broadcast':
      return groupMention(element.range);
    case 'emoji':
      return drawEmoji(element);
    case 'date':
      return dateText({ ...element, url: isSafeAddress(element.url) ? element.url : '' });
    case 'color':
      return html`<code>${element.value}</code>`;
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

/** @param {Record<string, boolean>} style @param {unknown} content */
function drawStyle({ bold, italic, strike, underline, code }, content) {
  let drawn = content;
  if (code) drawn = html`<code>${drawn}</code>`;
  if (underline) drawn = html`<u>${drawn}</u>`;
  if (strike) drawn = html`<s>${drawn}</s>`;
  if (italic) drawn = html`<em>${drawn}</em>`;
  return bold ? html`<strong>${drawn}</strong>` : drawn;
}
