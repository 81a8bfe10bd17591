import { html } from './vendor/lit-html/lit-html.js';
import { icon } from './icon.js';

const UNITS = ['bytes', 'KB', 'MB'];

/**
 * The files shared with a message, to download.
 * @param {import('./page.js').Page} page
 * @param {readonly import('../slack/page-api.ts').PageFile[]} files
 */
export function drawFiles(page, files) {
  return files.map((file) => {
    const address = `/page-api/file/${encodeURIComponent(file.id)}?${new URLSearchParams({ as: page.as })}`;
    return html`<a class="file" href=${address} download=${file.name}>
      ${icon('file')}
      <span class="file-words">
        <span class="file-title">${file.title}</span>
        <small><span class="visually-hidden">Download </span>${file.name}, ${sizeInWords(file.size)}</small>
      </span>
    </a>`;
  });
}

/** @param {number} bytes @returns {string} such as "18 bytes" or "2.4 MB" */
function sizeInWords(bytes) {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), UNITS.length - 1);
  const amount = bytes / 1000 ** power;
  return `${power === 0 ? amount : amount.toFixed(1)} ${UNITS[power]}`;
}
