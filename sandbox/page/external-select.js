import { html, nothing } from './vendor/lit-html/lit-html.js';
import { ifDefined } from './vendor/lit-html/directives/if-defined.js';
import { live } from './vendor/lit-html/directives/live.js';
import { changeLookup, closeLookup, lookupOf, shortestQuery, typeInto } from './lookup.js';
import { placeBeside } from './menu.js';

/**
 * A select whose options come from the app as you type: a combobox with a list.
 * @param {object} field see inputs.js
 * @param {import('./elements.js').Place} place
 * @param {object} block
 */
export function externalSelect(field, place, block) {
  const { element, id, value, label, invalid } = field;
  const { page } = place;
  const lookup = lookupOf(page, id);
  const select = { ...field, block };
  // Announced by an element that is always there: screen readers miss one that appears along with its text.
  const said = lookup.isOpen ? words(element, lookup) : nothing;
  const shown = lookup.isOpen ? lookup.text : (value?.text.text ?? '');
  return html`<div class="lookup">
    <input
      class="field"
      type="text"
      role="combobox"
      id=${id}
      placeholder=${element.placeholder?.text ?? 'Type to search'}
      autocomplete="off"
      aria-autocomplete="list"
      aria-expanded=${lookup.isOpen ? 'true' : 'false'}
      aria-controls="${id}-list"
      aria-activedescendant=${ifDefined(lookup.active === -1 ? undefined : `${id}-${lookup.active}`)}
      aria-label=${ifDefined(label)}
      aria-invalid=${ifDefined(invalid)}
      aria-describedby=${ifDefined(invalid && `${id}-error`)}
      .value=${live(shown)}
      @input=${(event) => typeInto(place, select, event.target.value)}
      @click=${() => lookup.isOpen || typeInto(place, select, shown)}
      @keydown=${(event) => onKeyDown(event, place, select)}
      @blur=${() => leave(place, select)}
    />
    <div class="menu options-box" popover="manual" data-open=${lookup.isOpen ? 'true' : 'false'}>
      ${list(page, select, lookup)}
      <p class="options-note" aria-hidden="true">${said}</p>
    </div>
    <p class="visually-hidden" role="status">${said}</p>
  </div>`;
}

/** @param {{ min_query_length?: number }} element @param {import('./lookup.js').Lookup} lookup @returns {string} */
function words(element, { status, options }) {
  if (status === 'loading') return 'Loading…';
  if (status === 'failed') return 'Couldn’t load the options. Change your search to try again.';
  const least = shortestQuery(element);
  if (status === 'short') return `Type at least ${least === 1 ? '1 character' : `${least} characters`}.`;
  const count = options.length;
  if (count === 0) return 'Nothing found.';
  return count === 1 ? '1 option' : `${count} options`;
}

/** @param {import('./page.js').Page} page @param {object} select @param {import('./lookup.js').Lookup} lookup */
function list(page, select, { options, active }) {
  const draw = (option, index) => {
    const { description } = option.value;
    return html`<li
      role="option"
      id="${select.id}-${index}"
      aria-selected=${index === active ? 'true' : 'false'}
      @mousedown=${(event) => event.preventDefault()}
      @click=${() => pick(page, select, option)}
    >
      <span>${option.label}</span
      >${description === undefined ? '' : html` <small>${description.text}</small>`}
    </li>`;
  };
  return html`<ul class="options" role="listbox" id="${select.id}-list" aria-label="Options">
    ${options.map(draw)}
  </ul>`;
}

/** @param {import('./page.js').Page} page @param {object} select @param {import('./select-options.js').Choice} option */
function pick(page, select, option) {
  closeLookup(page, select.id);
  void select.choose(option.value);
}

/**
 * Text without a choice is dropped; emptying the field chooses nothing, where that's allowed. @param
 * {import('./elements.js').Place} place @param {object} select
 */
function leave({ page }, { id, value, canBeEmpty, choose }) {
  const { isOpen, text } = lookupOf(page, id);
  if (!isOpen) return;
  closeLookup(page, id);
  if (text === '' && value !== null && canBeEmpty) void choose(null);
}

/** @param {KeyboardEvent} event @param {import('./elements.js').Place} place @param {object} select */
function onKeyDown(event, place, select) {
  const { page } = place;
  const { isOpen, options, active } = lookupOf(page, select.id);
  if (event.isComposing) return;
  if (event.key === 'Enter') {
    // Enter must not submit the modal: the text isn't a choice yet.
    event.preventDefault();
    if (isOpen && options[active] !== undefined) pick(page, select, options[active]);
  } else if (event.key === 'Escape' && isOpen) {
    event.preventDefault();
    event.stopPropagation();
    closeLookup(page, select.id);
  } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    event.preventDefault();
    if (!isOpen) return typeInto(place, select, event.target.value);
    if (options.length === 0) return;
    const step = event.key === 'ArrowDown' ? 1 : -1;
    changeLookup(page, select.id, { active: (active + step + options.length) % options.length });
  }
}

/** Call it after every drawing: opens the lists beside their fields, and closes them. */
export function settleLookups() {
  for (const box of document.querySelectorAll('.options-box')) {
    const isOpen = box.dataset.open === 'true';
    if (isOpen !== box.matches(':popover-open')) box.togglePopover(isOpen);
    if (!isOpen) continue;
    const field = box.previousElementSibling.getBoundingClientRect();
    box.style.width = `${field.width}px`;
    placeBeside(box, field);
    box.style.visibility = 'visible';
    box.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }
}
