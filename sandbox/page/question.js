import { html } from './vendor/lit-html/lit-html.js';
import { dialog } from './dialog.js';
import { textObject } from './text-object.js';

/**
 * Asks for confirmation first, if the app wants that.
 * @param {import('./page.js').Page} page
 * @param {{ confirm?: object, url?: string }} element url: what the confirming button opens
 * @param {() => void} proceed
 */
export function askFirst(page, { confirm, url }, proceed) {
  if (confirm === undefined) return proceed();
  return page.set({ question: { confirm, url, proceed } });
}

/**
 * A button's confirmation. If the button has an address, the confirming button opens it.
 * @param {import('./page.js').Page} page
 */
export function question(page) {
  const { confirm, url, proceed } = page.question;
  const onClose = () => page.set({ question: null });
  const yes = () => {
    page.set({ question: null });
    proceed();
  };
  const className = `button ${confirm.style ?? 'primary'}`;
  const words = confirm.confirm?.text ?? 'Yes';
  const content = html`<div class="modal-form">
    <header class="modal-head"><h2>${confirm.title.text}</h2></header>
    <div class="modal-body">${textObject(page.snapshot, confirm.text)}</div>
    <footer class="modal-foot">
      <button type="button" class="button default" @click=${onClose}>${confirm.deny?.text ?? 'No'}</button>
      ${
        url === undefined
          ? html`<button type="button" class=${className} @click=${yes}>${words}</button>`
          : html`<a class=${className} href=${url} target="_blank" rel="noopener noreferrer" @click=${yes}
              >${words}</a
            >`
      }
    </footer>
  </div>`;
  return dialog({ id: 'question', title: confirm.title.text, className: 'modal question', content, onClose });
}
