import { html } from './vendor/lit-html/lit-html.js';

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]']);

/**
 * A picture with its alt text. The server fetches it, only from this machine; instead of any other picture, or one that
 * failed, its alt text is shown.
 * @param {import('./page.js').Page} page
 * @param {{ image_url?: string, slack_file?: { id: string }, alt_text: string }} image
 * @param {string} className
 */
export function picture(page, image, className) {
  const address = addressOf(page, image);
  const { alt_text: words } = image;
  if (address !== '' && !page.broken.has(address)) {
    const giveUp = () => {
      page.broken.add(address);
      page.set({});
    };
    return html`<img class=${className} src=${address} alt=${words} @error=${giveUp} />`;
  }
  return html`<span class="${className} not-loaded" role="img" aria-label=${words} title=${words}
    ><span aria-hidden="true">${words}</span></span
  >`;
}

/** @param {import('./page.js').Page} page @param {{ image_url?: string, slack_file?: { id: string } }} image @returns {string} empty for none */
function addressOf(page, { image_url: url = '', slack_file: file }) {
  if (file !== undefined) return fileAddress(page, file.id);
  if (!URL.canParse(url) || !LOOPBACK.has(new URL(url).hostname)) return '';
  return `/page-api/image?${new URLSearchParams({ as: page.as, url })}`;
}

/** @param {import('./page.js').Page} page @param {string} id @returns {string} */
export function fileAddress(page, id) {
  return `/page-api/file/${encodeURIComponent(id)}?${new URLSearchParams({ as: page.as })}`;
}
