import { choices } from './choices.js';
import { selectOptions } from './select-options.js';

/**
 * A menu of several people or conversations, as checkboxes, since there are only a few. Ignores its limit
 * (`max_selected_items`).
 * @param {object} field see inputs.js; its value is a list of ids
 * @param {import('./page.js').Snapshot} snapshot
 */
export function manyChoices(field, snapshot) {
  const one = { ...field.element, type: field.element.type.replace('multi_', '') };
  const offered = selectOptions(snapshot, one).flatMap((group) => group.options);
  const options = offered.map(({ label, value }) => ({ text: { type: 'plain_text', text: label }, value }));
  const asCheckboxes = {
    ...field,
    element: { ...field.element, type: 'checkboxes', options },
    value: options.filter(({ value }) => field.value.includes(value)),
    choose: (chosen) => field.choose(chosen.map(({ value }) => value)),
  };
  return choices(asCheckboxes, snapshot);
}
