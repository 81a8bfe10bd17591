import { html } from './vendor/lit-html/lit-html.js';
import { ifDefined } from './vendor/lit-html/directives/if-defined.js';
import { live } from './vendor/lit-html/directives/live.js';
import { textObject } from './text-object.js';

/**
 * Radio buttons or checkboxes.
 * @param {object} field see inputs.js
 * @param {import('./page.js').Snapshot} snapshot
 */
export function choices({ element, id, value, name, invalid, choose }, snapshot) {
  const many = element.type === 'checkboxes';
  const chosen = many ? value : [value].filter((one) => one !== null);
  const isChosen = (option) => chosen.some((one) => one.value === option.value);
  const onChange = (option, checked) => {
    if (!many) return choose(option);
    return choose(element.options.filter((one) => (one.value === option.value ? checked : isChosen(one))));
  };
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
