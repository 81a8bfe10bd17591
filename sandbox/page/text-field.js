import { html, nothing } from './vendor/lit-html/lit-html.js';
import { ifDefined } from './vendor/lit-html/directives/if-defined.js';
import { live } from './vendor/lit-html/directives/live.js';

/** The kinds of element that are a browser field, and its type. */
export const FIELD_TYPES = {
  plain_text_input: 'text',
  datepicker: 'date',
  timepicker: 'time',
};

/**
 * A field to type in, or to pick a date or a time in.
 * @param {object} field see inputs.js
 */
export function textField(field) {
  const { element, id, value, label, invalid } = field;
  const { onInput, onChange, onKeyDown } = listeners(field);
  if (element.multiline) {
    return html`<textarea
      class="field"
      rows="4"
      id=${id}
      placeholder=${element.placeholder?.text ?? ''}
      maxlength=${ifDefined(element.max_length)}
      aria-label=${ifDefined(label)}
      aria-invalid=${ifDefined(invalid)}
      aria-describedby=${ifDefined(invalid && `${id}-error`)}
      .value=${live(value ?? '')}
      @input=${onInput}
    ></textarea>`;
  }
  return html`<input
      class="field"
      type=${FIELD_TYPES[element.type]}
      id=${id}
      placeholder=${element.placeholder?.text ?? ''}
      autocomplete="off"
      maxlength=${ifDefined(element.max_length)}
      aria-label=${ifDefined(label)}
      aria-invalid=${ifDefined(invalid)}
      aria-describedby=${ifDefined(invalid && `${id}-error`)}
      .value=${live(value ?? '')}
      @input=${onInput}
      @change=${onChange}
      @keydown=${onKeyDown}
    />${note(field)}`;
}

/**
 * When what is typed is only kept, and when it's sent: on Enter, where the app wants that.
 * @param {object} field see inputs.js
 */
function listeners({ element, dispatches, keep, choose }) {
  const onInput = (event) => keep(valueOf(event));
  const onChange = (event) => {
    if (!isTyped(element) || !dispatches) choose(valueOf(event));
  };
  const onKeyDown = (event) => {
    if (event.key !== 'Enter' || event.isComposing || !isTyped(element) || !dispatches) return;
    event.preventDefault();
    choose(valueOf(event));
  };
  return { onInput, onChange, onKeyDown };
}

/** @param {Event} event @returns {string | null} */
function valueOf({ target }) {
  return target.value === '' ? null : target.value;
}

/** @param {{ type: string }} element */
function isTyped({ type }) {
  return type !== 'datepicker' && type !== 'timepicker';
}

/** Slack's hint under a field that sends on Enter, and under a time in another zone. */
function note({ element, dispatches }) {
  if (element.timezone !== undefined) return html`<p class="hint">${element.timezone}</p>`;
  return isTyped(element) && dispatches ? html`<p class="hint">Press Enter to send.</p>` : nothing;
}
