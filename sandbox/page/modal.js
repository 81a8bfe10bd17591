import { html, nothing } from './vendor/lit-html/lit-html.js';
import { closeView, submitView } from './actions.js';
import { blocks } from './blocks.js';
import { dialog } from './dialog.js';
import { icon } from './icon.js';

/**
 * The modal on top of the stack.
 * @param {import('./page.js').Page} page
 * @param {import('../slack/page-api.ts').PageView} view
 */
export function modal(page, view) {
  const errors = { ...view.errors, ...page.missing.get(view.id) };
  const source = { type: 'view', view_id: view.id };
  const onClose = () => void closeView(page, view);
  const onSubmit = (event) => {
    event.preventDefault();
    void submitView(page, view);
  };
  const content = html`<form class="modal-form" novalidate @submit=${onSubmit}>
    <header class="modal-head">
      <h2>${view.title}</h2>
      <button type="button" class="icon-button" aria-label="Dismiss" title="Dismiss" @click=${onClose}>
        ${icon('close')}
      </button>
    </header>
    <div class="modal-body">
      ${problems(page, view, errors)} ${blocks({ page, source, blocks: view.blocks, errors })}
    </div>
    ${footer(page, view, onClose)}
  </form>`;
  return dialog({ id: view.id, title: view.title, className: 'modal', content, onClose });
}

/**
 * Errors that belong to no input. @param {import('./page.js').Page} page @param
 * {import('../slack/page-api.ts').PageView} view @param {Record<string, string>} errors
 */
function problems(page, view, errors) {
  const inputs = new Set(view.blocks.filter(({ type }) => type === 'input').map((block) => block.block_id));
  const others = Object.entries(errors).filter(([blockId]) => !inputs.has(blockId));
  const words = [...others.map(([, error]) => error), page.alert].filter((one) => one !== '');
  return words.map((one) => html`<p class="alert" role="alert">${one}</p>`);
}

/** @param {import('./page.js').Page} page @param {import('../slack/page-api.ts').PageView} view @param {() => void} onClose */
function footer(page, view, onClose) {
  const busy = page.submitting.has(view.id);
  const submit = html`<button class="button primary" aria-busy=${busy ? 'true' : 'false'} ?disabled=${busy}>
    ${view.submit}
  </button>`;
  return html`<footer class="modal-foot">
    <button type="button" class="button default" @click=${onClose}>${view.close ?? 'Close'}</button>
    ${view.submit === undefined ? nothing : submit}
  </footer>`;
}
