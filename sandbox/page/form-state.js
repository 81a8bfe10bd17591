/**
 * What a person has chosen and typed, in the shapes Slack gives an app as `state.values`.
 * @typedef {Record<string, unknown> & { type: string }} ElementState
 */

/** For each kind of element: the name of its value in the state, of its initial value, and the empty value. */
const KINDS = {
  plain_text_input: ['value', 'initial_value', null],
  static_select: ['selected_option', 'initial_option', null],
  external_select: ['selected_option', 'initial_option', null],
  radio_buttons: ['selected_option', 'initial_option', null],
  multi_static_select: ['selected_options', 'initial_options', []],
  checkboxes: ['selected_options', 'initial_options', []],
  users_select: ['selected_user', 'initial_user', null],
  multi_users_select: ['selected_users', 'initial_users', []],
  multi_conversations_select: ['selected_conversations', 'initial_conversations', []],
  conversations_select: ['selected_conversation', 'initial_conversation', null],
  datepicker: ['selected_date', 'initial_date', null],
  timepicker: ['selected_time', 'initial_time', null],
};

/** @param {string} blockId @param {string} actionId @returns {string} as in the snapshot's `pending` */
export function elementKey(blockId, actionId) {
  return `${blockId}/${actionId}`;
}

/**
 * @param {{ type: string }} element
 * @param {unknown} value null or an empty list if nothing is chosen; if left out, the element's initial value
 * @returns {ElementState | null} null for an element without state, such as a button
 */
export function elementState(element, value) {
  const kind = KINDS[element.type];
  if (kind === undefined) return null;
  const [name, initial, empty] = kind;
  return { type: element.type, [name]: value ?? (value === undefined ? element[initial] : empty) ?? empty };
}

/** @param {ElementState} state @returns {unknown} the value inside */
export function stateValue(state) {
  return state[KINDS[state.type][0]];
}

/** @param {readonly object[]} blocks @returns {{ block: object, element: object }[]} every element with state */
function statefulElements(blocks) {
  return blocks
    .flatMap((block) =>
      [block.element, block.accessory, ...(block.type === 'actions' ? block.elements : [])].map(
        (element) => ({ block, element }),
      ),
    )
    .filter(({ element }) => element !== undefined && KINDS[element.type] !== undefined);
}

/**
 * @param {readonly object[]} blocks
 * @param {ReadonlyMap<string, ElementState>} typed what the person changed, by `block_id/action_id`
 * @returns {Record<string, Record<string, ElementState>>} Slack's `state.values`
 */
export function collectState(blocks, typed) {
  const values = {};
  for (const { block, element } of statefulElements(blocks)) {
    const state = typed.get(elementKey(block.block_id, element.action_id)) ?? elementState(element);
    values[block.block_id] = { ...values[block.block_id], [element.action_id]: state };
  }
  return values;
}

/**
 * @param {readonly object[]} blocks
 * @param {ReturnType<typeof collectState>} values
 * @returns {Record<string, string>} Slack's error for each required input left empty, by block_id
 */
export function missingFields(blocks, values) {
  const missing = blocks.filter((block) => {
    if (block.type !== 'input' || block.optional === true) return false;
    const state = values[block.block_id]?.[block.element.action_id];
    const value = state === undefined ? null : stateValue(state);
    return value === null || (typeof value === 'string' ? value.trim() : Object.keys(value)).length === 0;
  });
  return Object.fromEntries(missing.map((block) => [block.block_id, 'Please complete this required field.']));
}
