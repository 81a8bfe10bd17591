import { html } from './vendor/lit-html/lit-html.js';
import { icon } from './icon.js';
import { fileAddress } from './image.js';

const UNITS = ['bytes', 'KB', 'MB'];

/**
 * The files shared with a message: pictures are shown, other files have a download link.
 * @param {import('./page.js').Page} page
 * @param {readonly import('../slack/page-api.ts').PageFile[]} files
 */
export function drawFiles(page, files) {
  return files.map((file) => {
    const address = fileAddress(page, file.id);
    const words = file.alt_text === '' ? file.title : file.alt_text;
    if (file.is_picture) return html`<img class="picture shared-file" src=${address} alt=${words} />`;
    return html`<a class="file shared-file" href=${address} download=${file.name}>
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
