import { html, nothing } from './vendor/lit-html/lit-html.js';
import { askSlackbot } from './actions.js';
import { blocks } from './blocks.js';
import { dialog } from './dialog.js';
import { icon } from './icon.js';

/**
 * @typedef {object} Asked
 * @property {readonly { name: string, description: string, inputSchema: { properties: object } }[]} tools
 * @property {string} tool the chosen one; empty for the first
 * @property {string} argument
 * @property {{ text: string, blocks: readonly object[] }} [answer]
 * @property {string} alert
 */

/**
 * A small Slackbot: a person chooses the tool in place of a model.
 * @param {import('./page.js').Page} page
 */
export function slackbot(page) {
  const { tools, argument, answer, alert } = page.slackbot;
  const chosen = tools.find(({ name }) => name === page.slackbot.tool) ?? tools[0];
  const [key] = Object.keys(chosen?.inputSchema.properties ?? {});
  const set = (changes) => page.set({ slackbot: { ...page.slackbot, ...changes } });
  const onClose = () => page.set({ slackbot: null });
  const onSubmit = (event) => {
    event.preventDefault();
    if (chosen !== undefined)
      void askSlackbot(page, chosen.name, key === undefined ? {} : { [key]: argument });
  };
  const content = html`<form class="modal-form" novalidate @submit=${onSubmit}>
    <header class="modal-head">
      <h2>Slackbot</h2>
      <button type="button" class="icon-button" aria-label="Dismiss" title="Dismiss" @click=${onClose}>
        ${icon('close')}
      </button>
    </header>
    <div class="modal-body">
      ${alert === '' ? nothing : html`<p class="alert" role="alert">${alert}</p>`}
      <label class="label" for="slackbot-tool">Tool</label>
      <select
        id="slackbot-tool"
        class="field"
        aria-describedby="slackbot-about"
        @change=${(event) => set({ tool: event.target.value, answer: undefined })}
      >
        ${tools.map(({ name }) => html`<option value=${name} ?selected=${name === chosen.name}>${name}</option>`)}
      </select>
      <p class="hint" id="slackbot-about">${chosen?.description ?? 'The app has no tools.'}</p>
      ${
        key === undefined
          ? nothing
          : html`<label class="label" for="slackbot-argument">${key}</label>
              <input
                id="slackbot-argument"
                class="field"
                autocomplete="off"
                .value=${argument}
                @input=${(event) => set({ argument: event.target.value })}
              />`
      }
      <div class="answer" role="status">${answer === undefined ? nothing : drawAnswer(page, answer)}</div>
    </div>
    <footer class="modal-foot">
      <button type="button" class="button default" @click=${onClose}>Close</button>
      <button class="button primary">Call</button>
    </footer>
  </form>`;
  return dialog({ id: 'slackbot', title: 'Slackbot', className: 'modal', content, onClose });
}

/** What a person sees, and below it what the model reads. @param {import('./page.js').Page} page @param {NonNullable<Asked['answer']>} answer */
function drawAnswer(page, answer) {
  const place = { page, source: { type: 'slackbot' }, blocks: answer.blocks, errors: {} };
  return html`${blocks(place)}
    <details class="model-reads">
      <summary>What the model reads</summary>
      <pre>${answer.text}</pre>
    </details>`;
}
