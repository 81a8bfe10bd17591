import { choices } from './choices.js';

/**
 * A menu of several people, as checkboxes: here are few. Its limit (`max_selected_items`) is left out.
 * @param {object} field see inputs.js; its value is a list of ids
 * @param {import('./page.js').Snapshot} snapshot
 */
export function peopleChoices(field, snapshot) {
  const people = snapshot.users.filter((user) => !user.is_bot && !user.deactivated);
  const options = people.map(({ id, name }) => ({ text: { type: 'plain_text', text: name }, value: id }));
  const asCheckboxes = {
    ...field,
    element: { ...field.element, type: 'checkboxes', options },
    value: options.filter(({ value }) => field.value.includes(value)),
    choose: (chosen) => field.choose(chosen.map(({ value }) => value)),
  };
  return choices(asCheckboxes, snapshot);
}
