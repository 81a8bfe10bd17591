import { html } from './vendor/lit-html/lit-html.js';

/**
 * A picture with its words. One from another host is not loaded, since no request may leave the machine.
 * @param {{ image_url?: string, alt_text: string }} image
 * @param {string} className
 */
export function picture({ image_url: address = '', alt_text: words }, className) {
  const url = URL.canParse(address, location.href) ? new URL(address, location.href) : null;
  if (url?.origin === location.origin) return html`<img class=${className} src=${url.href} alt=${words} />`;
  return html`<span class="${className} not-loaded" role="img" aria-label=${words} title=${words}
    ><span aria-hidden="true">${words}</span></span
  >`;
}
