import { html } from './vendor/lit-html/lit-html.js';
import { ifDefined } from './vendor/lit-html/directives/if-defined.js';
import { press } from './actions.js';
import { choices } from './choices.js';
import { externalSelect } from './external-select.js';
import { elementKey, elementState, stateValue } from './form-state.js';
import { manyChoices } from './many-choices.js';
import { elementId, formOf } from './page.js';
import { selectOptions } from './select-options.js';
import { FIELD_TYPES, textField } from './text-field.js';

const CHOICES = new Set(['radio_buttons', 'checkboxes']);
const MANY = new Set(['multi_users_select', 'multi_conversations_select']);

/**
 * An element with state: what was typed or chosen survives every redraw.
 * @param {import('./elements.js').Place} place
 * @param {object} block
 * @param {object} element
 */
export function input(place, block, element) {
  const key = elementKey(block.block_id, element.action_id);
  const state = formOf(place.page, place.source).get(key) ?? elementState(element);
  if (state === null) return html`<p class="unknown">The sandbox does not draw “${element.type}”.</p>`;
  const isInput = block.type === 'input';
  const words = (isInput ? block.label : block.text)?.text;
  const field = {
    element,
    id: elementId(place.source, key),
    value: stateValue(state),
    label: isInput ? undefined : (element.placeholder?.text ?? words ?? 'Choose'),
    name: words ?? 'Options',
    canBeEmpty: block.optional === true,
    invalid: place.errors[block.block_id] === undefined ? undefined : 'true',
    dispatches: !isInput || block.dispatch_action === true,
    ...listeners(place, block, element),
  };
  if (CHOICES.has(element.type)) return choices(field, place.page.snapshot);
  if (element.type === 'multi_static_select') {
    // As checkboxes, since there are only a few.
    return choices({ ...field, element: { ...element, type: 'checkboxes' } }, place.page.snapshot);
  }
  if (MANY.has(element.type)) return manyChoices(field, place.page.snapshot);
  if (element.type in FIELD_TYPES) return textField(field);
  if (element.type === 'external_select') return externalSelect(field, place, block);
  return select(field, selectOptions(place.page.snapshot, element));
}

/**
 * `keep` only remembers a value; `choose` also sends it, if Slack would: an input block waits for the modal's button
 * unless it asks for more.
 * @param {import('./elements.js').Place} place @param {object} block @param {object} element
 */
function listeners(place, block, element) {
  const { page } = place;
  const form = formOf(page, place.source);
  const key = elementKey(block.block_id, element.action_id);
  const keep = (value) => {
    form.set(key, elementState(element, value));
    delete page.missing.get(place.source.view_id)?.[block.block_id];
  };
  const choose = (value) => {
    keep(value);
    page.set({});
    if (block.type === 'input' && block.dispatch_action !== true) return;
    const what = {
      block_id: block.block_id,
      action_id: element.action_id,
      selected_option: elementState(element, value).selected_option ?? undefined,
    };
    void press(page, place, what);
  };
  return { keep, choose };
}

/** The id an input block's label points to. @param {import('./page.js').PressSource} source @param {object} block */
export function fieldId(source, block) {
  return elementId(source, elementKey(block.block_id, block.element.action_id));
}

/** @param {object} field @param {import('./select-options.js').Group[]} groups */
function select({ element, id, value, label, invalid, canBeEmpty, choose }, groups) {
  const all = groups.flatMap(({ options }) => options);
  const chosen = all.findIndex((option) => option.isValue(value));
  const option = (one) =>
    html`<option value=${all.indexOf(one)} .selected=${all.indexOf(one) === chosen}>${one.label}</option>`;
  const drawn = groups.map((group) =>
    group.label === ''
      ? group.options.map(option)
      : html`<optgroup label=${group.label}>${group.options.map(option)}</optgroup>`,
  );
  const onChange = (event) => choose(all[Number(event.target.value)]?.value ?? null);
  return html`<select
    class="field select"
    id=${id}
    aria-label=${ifDefined(label)}
    aria-invalid=${ifDefined(invalid)}
    aria-describedby=${ifDefined(invalid && `${id}-error`)}
    @change=${onChange}
  >
    <option value="" ?disabled=${!canBeEmpty} .selected=${chosen === -1}>
      ${element.placeholder?.text ?? 'Choose an option'}
    </option>
    ${drawn}
  </select>`;
}
