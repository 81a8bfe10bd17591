import { svg } from './vendor/lit-html/lit-html.js';

const PATHS = {
  more: svg`<g fill="currentColor" stroke="none"><circle cx="10" cy="4.5" r="1.6"/><circle cx="10" cy="10" r="1.6"/><circle cx="10" cy="15.5" r="1.6"/></g>`,
  eye: svg`<path d="M1.8 10S4.8 4.6 10 4.6 18.2 10 18.2 10 15.2 15.4 10 15.4 1.8 10 1.8 10Z"/><circle cx="10" cy="10" r="2.4"/>`,
  warning: svg`<path d="M10 3 18 16.8H2Z"/><path d="M10 8.2v4.2M10 14.6v.1"/>`,
  close: svg`<path d="m4.5 4.5 11 11m0-11-11 11"/>`,
  send: svg`<path d="M3 3.5 17.5 10 3 16.5 5 10Zm2 6.5h6" />`,
  lightning: svg`<path d="M11.5 2 4.5 11.5h4.6L8.5 18l7-9.5h-4.6Z"/>`,
  file: svg`<path d="M5 2.5h6.5L15.5 7v10.5H5Zm6.2 0V7.2h4.3"/>`,
  link: svg`<path d="M8.3 11.7a3.4 3.4 0 0 0 4.8 0l2.6-2.6a3.4 3.4 0 0 0-4.8-4.8l-1 1m1.8 3a3.4 3.4 0 0 0-4.8 0l-2.6 2.6a3.4 3.4 0 0 0 4.8 4.8l1-1"/>`,
  plus: svg`<path d="M10 3.5v13M3.5 10h13"/>`,
  chevron: svg`<path d="m5 7.5 5 5 5-5"/>`,
  hash: svg`<path d="M7.8 3 6.2 17M13.8 3l-1.6 14M3.5 7.2h13.8M2.7 12.8h13.8"/>`,
};

/**
 * An icon beside words that say the same, so it's hidden from screen readers.
 * @param {keyof typeof PATHS} name
 */
export function icon(name) {
  return svg`<svg class="icon" viewBox="0 0 20 20" width="20" height="20" fill="none" stroke="currentColor"
    stroke-width="1.7" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${PATHS[name]}</svg>`;
}
