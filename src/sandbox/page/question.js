import { html } from './vendor/lit-html/lit-html.js';
import { dialog } from './dialog.js';
import { textObject } from './text-object.js';

/**
 * A button's confirmation. Where the button has an address, the confirming button opens it.
 * @param {import('./page.js').Page} page
 */
export function question(page) {
  const { confirm, url, proceed } = page.question;
  const onClose = () => page.set({ question: null });
  const yes = () => {
    onClose();
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
