import { askForOptions } from './actions.js';
import { byOption } from './select-options.js';

const DEBOUNCE_MS = 250;
const SHORTEST = 3;

/**
 * What is typed into one external select, and what the app answered.
 * @typedef {object} Lookup
 * @property {string} text
 * @property {boolean} isOpen
 * @property {'short' | 'loading' | 'failed' | 'ready'} status
 * @property {import('./select-options.js').Choice[]} options
 * @property {number} active the marked option; -1 for none
 * @property {number} turn goes up as you type, so that answers to older text can be recognized
 */

/** @type {Lookup} */
const CLOSED = { text: '', isOpen: false, status: 'short', options: [], active: -1, turn: 0 };

/** Text waiting to be sent, by element id. @type {Map<string, number>} */
const waiting = new Map();

/** @param {import('./page.js').Page} page @param {string} id of the element @returns {Lookup} */
export function lookupOf(page, id) {
  return page.lookups.get(id) ?? CLOSED;
}

/** @param {import('./page.js').Page} page @param {string} id @param {Partial<Lookup>} changes */
export function changeLookup(page, id, changes) {
  page.lookups.set(id, { ...lookupOf(page, id), ...changes });
  page.set({});
}

/** An answer that is still on its way will be ignored. @param {import('./page.js').Page} page @param {string} id */
export function closeLookup(page, id) {
  clearTimeout(waiting.get(id));
  changeLookup(page, id, { ...CLOSED, turn: lookupOf(page, id).turn + 1 });
}

/** @param {{ min_query_length?: number }} element @returns {number} characters */
export function shortestQuery({ min_query_length: shortest = SHORTEST }) {
  return shortest;
}

/**
 * Handles typing. The app is asked after a pause, and only its answer to the latest text is shown.
 * @param {import('./elements.js').Place} place
 * @param {{ id: string, block: object, element: object }} select
 * @param {string} text
 */
export function typeInto(place, { id, block, element }, text) {
  const { page } = place;
  clearTimeout(waiting.get(id));
  const turn = lookupOf(page, id).turn + 1;
  const isShort = text.trim().length < shortestQuery(element);
  const status = isShort ? 'short' : 'loading';
  changeLookup(page, id, { text, turn, status, isOpen: true, options: [], active: -1 });
  if (isShort) return;
  const send = async () => {
    const what = { block_id: block.block_id, action_id: element.action_id, value: text.trim() };
    const answer = await askForOptions(page, place, what);
    if (lookupOf(page, id).turn === turn) changeLookup(page, id, read(answer));
  };
  waiting.set(
    id,
    setTimeout(() => void send(), DEBOUNCE_MS),
  );
}

/** @param {{ ok: boolean } & import('../slack/page-api.ts').Suggestions} answer */
function read(answer) {
  if (!answer.ok) return { status: 'failed', options: [], active: -1 };
  const options = answer.options.map(byOption);
  return { status: 'ready', options, active: options.length === 0 ? -1 : 0 };
}
