import { html } from './vendor/lit-html/lit-html.js';
import { ifDefined } from './vendor/lit-html/directives/if-defined.js';
import { isSafeAddress } from './address.js';
import { press } from './actions.js';
import { elementKey } from './form-state.js';
import { icon } from './icon.js';
import { input } from './inputs.js';
import { menu } from './menu.js';
import { elementId, sourceKey } from './page.js';
import { askFirst } from './question.js';

/**
 * Where an element is.
 * @typedef {object} Place
 * @property {import('./page.js').Page} page
 * @property {import('./page.js').PressSource} source
 * @property {readonly object[]} blocks all blocks of the message, modal or Home tab
 * @property {boolean} [isHome]
 * @property {Readonly<Record<string, string>>} errors by block_id
 */

/**
 * Any element of a section, an actions block or an input block.
 * @param {Place} place
 * @param {object} block
 * @param {object} element
 */
export function drawElement(place, block, element) {
  if (element.type === 'button') return button(place, block, element);
  if (element.type === 'overflow') return overflow(place, block, element);
  return html`${input(place, block, element)}${failedMark(place, block, element)}`;
}

/** @param {Place} place @param {readonly string[]} keys of the snapshot @param {string} key */
function isListed({ page, source }, keys, key) {
  const own = sourceKey(source);
  return keys.includes(key) && (page.pressed.get(key) ?? own) === own;
}

/** @param {Place} place @param {object} block @param {object} element */
function isPending(place, block, element) {
  return isListed(place, place.page.snapshot.pending, elementKey(block.block_id, element.action_id));
}

/** @param {Place} place @param {object} block @param {object} element */
function failedMark(place, block, element) {
  if (!isListed(place, place.page.snapshot.failed, elementKey(block.block_id, element.action_id))) return '';
  return html`<span class="failed" role="status">${icon('warning')} Slack did not get an answer</span>`;
}

/** @param {Place} place @param {object} block @param {object} element */
function button(place, block, element) {
  const busy = isPending(place, block, element);
  const { action_id, value, url, style = 'default' } = element;
  const send = () => void press(place.page, place, { block_id: block.block_id, action_id, value });
  const label = ifDefined(element.accessibility_label);
  const className = `button ${style}`;
  const state = busy ? 'true' : 'false';
  const mark = failedMark(place, block, element);
  if (isSafeAddress(url)) {
    const onClick = (event) => {
      if (element.confirm !== undefined) event.preventDefault();
      askFirst(place.page, element, send);
    };
    return html`<a
        class=${className}
        href=${url}
        target="_blank"
        rel="noopener noreferrer"
        aria-label=${label}
        aria-busy=${state}
        title="Opens in a new tab"
        @click=${onClick}
        >${element.text.text}</a
      >${mark}`;
  }
  const onClick = () => busy || askFirst(place.page, element, send);
  return html`<button
      type="button"
      class=${className}
      data-action=${element.action_id}
      aria-label=${label}
      aria-busy=${state}
      @click=${onClick}
    >
      ${element.text.text}</button
    >${mark}`;
}

/** @param {Place} place @param {object} block @param {object} element */
function overflow(place, block, element) {
  const items = element.options.map((option) => {
    const what = { block_id: block.block_id, action_id: element.action_id, selected_option: option };
    const send = () => void press(place.page, place, what);
    return {
      label: option.text.text,
      note: option.description?.text,
      url: option.url,
      run: send,
    };
  });
  const id = elementId(place.source, elementKey(block.block_id, element.action_id));
  const face = icon('more');
  const busy = isPending(place, block, element);
  return html`${menu({ id, label: 'More options', face, className: 'button icon-button', items, busy })}${failedMark(
    place,
    block,
    element,
  )}`;
}
