import { html } from './vendor/lit-html/lit-html.js';
import { repeat } from './vendor/lit-html/directives/repeat.js';
import { chart } from './chart.js';
import { table } from './table.js';
import { drawElement } from './elements.js';
import { fieldId } from './inputs.js';
import { richText } from './rich-text.js';
import { textObject } from './text-object.js';

const CHOICES = new Set(['radio_buttons', 'checkboxes']);

/**
 * The blocks of a message, a modal or the Home, as Slack shows them.
 * @param {import('./elements.js').Place} place
 */
export function blocks(place) {
  return html`<div class="blocks">${place.blocks.map((block) => drawBlock(place, block))}</div>`;
}

/** @param {import('./elements.js').Place} place @param {object} block */
function drawBlock(place, block) {
  const { snapshot } = place.page;
  switch (block.type) {
    case 'header': {
      const words = textObject(snapshot, block.text);
      // Heading levels: in a message below the day's, in a modal below its title, on the Home tab below the channel's.
      return place.isHome
        ? html`<h2 class="block header-block">${words}</h2>`
        : html`<h3 class="block header-block">${words}</h3>`;
    }
    case 'section':
      return section(place, block);
    case 'context':
      return context(snapshot, block);
    case 'actions':
      return html`<div class="block actions-block">
        ${repeat(
          block.elements,
          // Keyed, so that a button keeps the focus when another one appears or disappears beside it.
          ({ action_id: id }) => id,
          (element) => html`<div class="action">${drawElement(place, block, element)}</div>`,
        )}
      </div>`;
    case 'divider':
      return html`<hr class="block divider-block" />`;
    case 'data_visualization':
      return chart(block);
    case 'data_table':
      return table(snapshot, block);
    case 'input':
      return inputBlock(place, block);
    case 'rich_text':
      return html`<div class="block">${richText(snapshot, block)}</div>`;
    default:
      return html`<p class="block unknown">The sandbox does not draw “${block.type}” blocks.</p>`;
  }
}

/** @param {import('./elements.js').Place} place @param {object} block */
function section(place, block) {
  const { snapshot } = place.page;
  const fields = block.fields?.map((field) => html`<div>${textObject(snapshot, field)}</div>`);
  return html`<div class="block section-block">
    <div class="section-text">
      ${block.text === undefined ? '' : html`<div>${textObject(snapshot, block.text)}</div>`}
      ${fields === undefined ? '' : html`<div class="fields">${fields}</div>`}
    </div>
    ${
      block.accessory === undefined
        ? ''
        : html`<div class="accessory">${drawElement(place, block, block.accessory)}</div>`
    }
  </div>`;
}

/** @param {object} snapshot @param {object} block */
function context(snapshot, block) {
  const parts = block.elements.map(
    (element) => html`<span class="context-text">${textObject(snapshot, element)}</span>`,
  );
  return html`<div class="block context-block">${parts}</div>`;
}

/** @param {import('./elements.js').Place} place @param {object} block */
function inputBlock(place, block) {
  const { snapshot } = place.page;
  const id = fieldId(place.source, block);
  const error = place.errors[block.block_id];
  const words = html`${textObject(snapshot, block.label)}${
    block.optional ? html` <span class="optional">(optional)</span>` : ''
  }`;
  const label = CHOICES.has(block.element.type)
    ? html`<div class="label" aria-hidden="true">${words}</div>`
    : html`<label class="label" for=${id}>${words}</label>`;
  return html`<div class="block input-block">
    ${label} ${drawElement(place, block, block.element)}
    ${error === undefined ? '' : html`<p class="error" id="${id}-error" role="alert">${error}</p>`}
    ${block.hint === undefined ? '' : html`<p class="hint">${textObject(snapshot, block.hint)}</p>`}
  </div>`;
}
