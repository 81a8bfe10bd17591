import { collectState, elementKey, missingFields } from './form-state.js';
import { formOf, sourceKey } from './page.js';

/** What the page says of a request that got no answer; no longer true once the connection is back. */
export const NO_ANSWER = 'The sandbox didn’t answer. Is it still running?';

/**
 * @param {string} path under /page-api/
 * @param {object} body
 * @returns {Promise<string>} what went wrong, in words; empty when all is well
 */
async function post(path, body) {
  const answer = await ask(path, body);
  return answer.ok ? '' : String(answer.error);
}

/** @param {string} path under /page-api/ @param {object} body @returns {Promise<{ ok: boolean, error?: string }>} */
async function ask(path, body) {
  try {
    const response = await fetch(`/page-api/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return await response.json();
  } catch {
    return { ok: false, error: NO_ANSWER };
  }
}

/**
 * Tells the server that the page was loaded: ephemeral messages and modals are gone. As with Slack, the person's time zone
 * is the one that their client is in. @param {string} as
 */
export function reportReload(as) {
  return post('reload', { as, tz: new Intl.DateTimeFormat().resolvedOptions().timeZone });
}

/**
 * Sends the content of the composer; if it couldn't be sent, the text comes back.
 * @param {import('./page.js').Page} page
 * @param {string} channel
 */
export async function sendDraft(page, channel) {
  const text = (page.drafts.get(channel) ?? '').trim();
  if (text === '') return;
  page.drafts.set(channel, '');
  page.set({ alert: '', completion: { active: null, closed: false } });
  const path = text.startsWith('/') ? 'command' : 'message';
  const error = await post(path, { as: page.as, channel, text });
  if (error === '') return;
  page.drafts.set(channel, page.drafts.get(channel) || text);
  page.set({ alert: error });
}

/**
 * @param {import('./page.js').Page} page
 * @param {import('../slack/page-api.ts').PageMessage} message
 * @param {string} callbackId
 */
export async function runShortcut(page, message, callbackId) {
  const { channel, ts } = message;
  const alert = await post('shortcut', { as: page.as, channel, message_ts: ts, callback_id: callbackId });
  page.set({ alert });
}

/**
 * Sends a reply in a thread; if it couldn't be sent, the text comes back.
 * @param {import('./page.js').Page} page
 * @param {import('../slack/page-api.ts').PageMessage} root the thread's first message
 */
export async function sendReply(page, { channel, ts }) {
  const key = `${channel}/${ts}`;
  const text = (page.drafts.get(key) ?? '').trim();
  if (text === '') return;
  page.drafts.set(key, '');
  page.set({ alert: '' });
  const error = await post('message', { as: page.as, channel, text, thread_ts: ts });
  if (error === '') return;
  page.drafts.set(key, page.drafts.get(key) || text);
  page.set({ alert: error });
}

/** @param {import('./page.js').Page} page @param {string} callbackId @param {string} viewing the open channel */
export async function runGlobalShortcut(page, callbackId, viewing) {
  page.set({ alert: await post('global-shortcut', { as: page.as, callback_id: callbackId, viewing }) });
}

/**
 * @param {import('./page.js').Page} page
 * @param {string} channel
 * @param {'archive' | 'unarchive' | 'invite-app' | 'remove-app'} change
 */
export async function changeChannel(page, channel, change) {
  page.set({ alert: await post('channel', { as: page.as, channel, change }) });
}

/** Takes the app out of the workspace. @param {import('./page.js').Page} page */
export async function uninstall(page) {
  page.set({ alert: await post('uninstall', { as: page.as }) });
}

/** Closes the first steps, in all tabs. @param {import('./page.js').Page} page */
export async function closeTour(page) {
  page.set({ alert: await post('tour', { as: page.as }) });
}

/** Puts the whole sandbox back to its start; the page is loaded again then. @param {import('./page.js').Page} page */
export async function resetSandbox(page) {
  page.set({ alert: await post('reset', { as: page.as }) });
}

/** Switches to the opposite. @param {import('./page.js').Snapshot} snapshot the current state */
export function switchLinkPresses({ me, loses_link_presses: loses }) {
  return post('phone', { as: me, loses_link_presses: !loses });
}

/** Tells the server that a tab of the app's Home was opened. @param {import('./page.js').Page} page @param {string} tab */
export async function reportTab(page, tab) {
  const alert = await post('home', { as: page.as, tab });
  if (alert !== '') page.set({ alert });
}

/**
 * Asks the app for the options of an external select.
 * @param {import('./page.js').Page} page
 * @param {{ source: import('./page.js').PressSource, blocks: readonly object[] }} place
 * @param {{ block_id: string, action_id: string, value: string }} what
 * @returns {Promise<{ ok: boolean } & import('../slack/page-api.ts').Suggestions>}
 */
export function askForOptions(page, { source, blocks }, what) {
  const state = collectState(blocks, formOf(page, source));
  return ask('suggest', { as: page.as, source, ...what, state });
}

/**
 * A button pressed or a choice made.
 * @param {import('./page.js').Page} page
 * @param {{ source: import('./page.js').PressSource, blocks: readonly object[] }} place
 * @param {{ block_id: string, action_id: string, value?: string, selected_option?: object }} what
 */
export async function press(page, { source, blocks }, what) {
  if (source.type === 'slackbot')
    return askSlackbot(page, what.action_id.replace('tool:', ''), JSON.parse(what.value));
  page.pressed.set(elementKey(what.block_id, what.action_id), sourceKey(source));
  const state = collectState(blocks, formOf(page, source));
  page.set({ alert: await post('press', { as: page.as, source, ...what, state }) });
}

/**
 * Lists the app's tools for Slackbot, and calls one if it's named.
 * @param {import('./page.js').Page} page @param {string} [tool] @param {Record<string, string>} [args]
 */
export async function askSlackbot(page, tool, args) {
  const { ok, error, ...said } = await ask('slackbot', { as: page.as, tool, args });
  const before = page.slackbot ?? { tools: [], tool: '', argument: '' };
  page.set({ slackbot: { ...before, answer: undefined, ...said, alert: ok ? '' : error } });
}

/** @param {import('./page.js').Page} page @param {import('../slack/page-api.ts').PageView} view */
export async function submitView(page, view) {
  const state = collectState(view.blocks, formOf(page, { type: 'view', view_id: view.id }));
  const missing = missingFields(view.blocks, state);
  page.missing.set(view.id, missing);
  if (Object.keys(missing).length > 0) return page.set({ alert: '' });
  page.submitting.add(view.id);
  page.set({ alert: '' });
  const alert = await post('submit', { as: page.as, view_id: view.id, state });
  page.submitting.delete(view.id);
  return page.set({ alert });
}

/** @param {import('./page.js').Page} page @param {import('../slack/page-api.ts').PageView} view */
export async function closeView(page, view) {
  // A second press before the first is answered: the modal below would get the error that this one is gone.
  if (page.closing.has(view.id)) return;
  page.closing.add(view.id);
  const alert = await post('close', { as: page.as, view_id: view.id });
  if (alert !== '') page.closing.delete(view.id);
  page.set({ alert });
}
