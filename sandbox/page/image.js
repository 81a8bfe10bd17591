import { html } from './vendor/lit-html/lit-html.js';

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]']);

/**
 * A picture with its alt text. The server fetches it, only from this machine; instead of any other picture, or one that
 * failed, its alt text is shown.
 * @param {import('./page.js').Page} page
 * @param {{ image_url: string, alt_text: string }} image
 * @param {string} className
 */
export function picture(page, image, className) {
  const { image_url: url, alt_text: words } = image;
  const address = addressOf(page, url);
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

/** @param {import('./page.js').Page} page @param {string} url @returns {string} empty for none */
function addressOf(page, url) {
  if (!URL.canParse(url) || !LOOPBACK.has(new URL(url).hostname)) return '';
  return `/page-api/image?${new URLSearchParams({ as: page.as, url })}`;
}
