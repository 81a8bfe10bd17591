import { html } from './vendor/lit-html/lit-html.js';
import { ifDefined } from './vendor/lit-html/directives/if-defined.js';
import { live } from './vendor/lit-html/directives/live.js';
import { press } from './actions.js';
import { elementKey, elementState, stateValue } from './form-state.js';
import { elementId, formOf } from './page.js';
import { selectOptions } from './select-options.js';
import { textObject } from './text-object.js';

const FIELD_TYPES = {
  plain_text_input: 'text',
  email_text_input: 'email',
  url_text_input: 'url',
  number_input: 'number',
  datepicker: 'date',
  timepicker: 'time',
};

/**
 * An element that keeps state: what is typed or chosen outlives every redraw.
 * @param {import('./elements.js').Place} place
 * @param {object} block
 * @param {object} element
 */
export function input(place, block, element) {
  const key = elementKey(block.block_id, element.action_id);
  const form = formOf(place.page, place.source);
  const state = form.get(key) ?? elementState(element);
  if (state === null) return html`<p class="unknown">The sandbox does not draw “${element.type}”.</p>`;
  const field = {
    element,
    id: elementId(place.source, key),
    value: stateValue(state),
    label: block.type === 'input' ? undefined : (element.placeholder?.text ?? 'Choose'),
    canBeEmpty: block.optional === true,
    invalid: place.errors[block.block_id] === undefined ? undefined : 'true',
    choose(value, options) {
      form.set(key, elementState(element, value));
      delete place.page.missing.get(place.source.view_id)?.[block.block_id];
      if (options?.quietly && element.type in FIELD_TYPES) return;
      if (block.type === 'input' && block.dispatch_action !== true) return place.page.set({});
      return press(place.page, place, {
        block_id: block.block_id,
        action_id: element.action_id,
        selected_option: elementState(element, value).selected_option ?? undefined,
      });
    },
  };
  if (element.type === 'radio_buttons' || element.type === 'checkboxes') return choices(field, place, block);
  if (element.type in FIELD_TYPES) return textField(field);
  return select(field, selectOptions(place.page.snapshot, element));
}

/** The id an input block's label points to. @param {import('./page.js').PressSource} source @param {object} block */
export function fieldId(source, block) {
  return elementId(source, elementKey(block.block_id, block.element.action_id));
}

/** @param {object} field */
function textField({ element, id, value, label, invalid, choose }) {
  const typed = (event) => choose(event.target.value === '' ? null : event.target.value, { quietly: true });
  const placeholder = element.placeholder?.text ?? '';
  const errorId = invalid && `${id}-error`;
  if (element.multiline) {
    return html`<textarea
      class="field"
      rows="4"
      id=${id}
      placeholder=${placeholder}
      maxlength=${ifDefined(element.max_length)}
      aria-label=${ifDefined(label)}
      aria-invalid=${ifDefined(invalid)}
      aria-describedby=${ifDefined(errorId)}
      .value=${live(value ?? '')}
      @input=${typed}
    ></textarea>`;
  }
  const done = (event) => choose(event.target.value === '' ? null : event.target.value);
  return html`<input
    class="field"
    type=${FIELD_TYPES[element.type]}
    id=${id}
    placeholder=${placeholder}
    autocomplete="off"
    maxlength=${ifDefined(element.max_length)}
    aria-label=${ifDefined(label)}
    aria-invalid=${ifDefined(invalid)}
    aria-describedby=${ifDefined(errorId)}
    .value=${live(value ?? '')}
    @input=${typed}
    @change=${done}
  />`;
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

/** @param {object} field @param {import('./elements.js').Place} place @param {object} block */
function choices({ element, id, value, invalid, choose }, place, block) {
  const many = element.type === 'checkboxes';
  const chosen = many ? value : [value].filter((one) => one !== null);
  const isChosen = (option) => chosen.some((one) => one.value === option.value);
  const onChange = (option, checked) => {
    if (!many) return choose(option);
    return choose(element.options.filter((one) => (one.value === option.value ? checked : isChosen(one))));
  };
  const { snapshot } = place.page;
  const drawn = element.options.map(
    (option) =>
      html`<label class="choice">
        <input
          type=${many ? 'checkbox' : 'radio'}
          name=${id}
          .checked=${live(isChosen(option))}
          @change=${(event) => onChange(option, event.target.checked)}
        />
        <span
          >${textObject(snapshot, option.text)}
          ${option.description === undefined ? '' : html`<small>${textObject(snapshot, option.description)}</small>`}</span
        >
      </label>`,
  );
  const name = ifDefined(block.type === 'input' ? block.label.text : undefined);
  return html`<div
    class="choices"
    id=${id}
    role=${many ? 'group' : 'radiogroup'}
    aria-label=${name}
    aria-invalid=${ifDefined(many ? undefined : invalid)}
    aria-describedby=${ifDefined(invalid && `${id}-error`)}
  >
    ${drawn}
  </div>`;
}
