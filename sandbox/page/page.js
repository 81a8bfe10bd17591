/**
 * The page's own state: what the server last said, and what only this tab knows.
 *
 * @typedef {import('../slack/page-api.ts').Snapshot} Snapshot
 * @typedef {import('../slack/page-api.ts').PressSource} PressSource
 * @typedef {object} Page
 * @property {string} as the user who sits here
 * @property {Snapshot | null} snapshot null until the server's first word
 * @property {boolean} connected
 * @property {string} alert what went wrong last, in words
 * @property {string} channelId
 * @property {string} goal the `ts` of a message to be brought into sight, once; or empty
 * @property {'home' | 'messages'} tab of the app's Home
 * @property {string} replying `channel/ts` of the message whose thread is being written in, or empty
 * @property {Map<string, string>} drafts unsent text, by channel or `channel/ts` of a thread
 * @property {{ active: number | null, closed: boolean }} completion active: null means "not moved by hand"
 * @property {{ query: string, active: number }} launcher the search for shortcuts in the composer
 * @property {Map<string, import('./external-select.js').Lookup>} lookups what is typed into external selects, by element id
 * @property {Map<string, Map<string, object>>} forms changed inputs, by source and then `block_id/action_id`
 * @property {Map<string, Record<string, string>>} missing required inputs left empty, by view id
 * @property {Set<string>} submitting ids of views whose answer is awaited
 * @property {Set<string>} closing ids of views that are closed as soon as the server says so
 * @property {Map<string, string>} pressed the source of each element's last press here, by `block_id/action_id`
 * @property {Map<string, string>} seen the newest `ts` shown, by channel
 * @property {{ confirm: object, url?: string, proceed: () => void } | null} question an open confirmation
 * @property {import('./slackbot.js').Asked | null} slackbot what is asked of Slackbot, if its box is open
 * @property {(changes: Partial<Page>) => void} set changes the state and draws again
 */

/**
 * @param {string} as
 * @param {() => void} draw
 * @returns {Page}
 */
export function createPage(as, draw) {
  const page = {
    as,
    snapshot: null,
    connected: true,
    alert: '',
    channelId: '',
    goal: '',
    tab: 'home',
    replying: '',
    drafts: new Map(),
    completion: { active: null, closed: false },
    launcher: { query: '', active: 0 },
    lookups: new Map(),
    forms: new Map(),
    missing: new Map(),
    submitting: new Set(),
    closing: new Set(),
    pressed: new Map(),
    seen: new Map(),
    question: null,
    slackbot: null,
    set(changes) {
      Object.assign(page, changes);
      draw();
    },
  };
  return page;
}

/** @param {PressSource} source @returns {string} */
export function sourceKey(source) {
  return source.type === 'view' ? source.view_id : `${source.channel}/${source.ts}`;
}

/** @param {Page} page @param {PressSource} source @returns {Map<string, object>} the inputs changed by hand there */
export function formOf(page, source) {
  const key = sourceKey(source);
  const form = page.forms.get(key) ?? new Map();
  page.forms.set(key, form);
  return form;
}

/**
 * @param {PressSource} source
 * @param {string} key `block_id/action_id`
 * @returns {string} an id for the document; spaces would make it several
 */
export function elementId(source, key) {
  return `${sourceKey(source)}/${key}`.replaceAll(/\s/g, '_');
}

/** @param {Page} page */
export function currentChannel(page) {
  return page.snapshot?.channels.find(({ id }) => id === page.channelId) ?? page.snapshot?.channels[0];
}

/** @param {Snapshot} snapshot @returns {boolean} whether the workspace has the app */
export function hasApp(snapshot) {
  return snapshot.installing?.installed ?? true;
}

/** @param {Page} page @param {import('../slack/page-api.ts').PageChannel} channel @returns {boolean} whether it has a Home */
export function hasHome(page, channel) {
  return page.snapshot.home?.channel === channel.id;
}

/** @param {Page} page @param {import('../slack/page-api.ts').PageChannel} channel @returns {'home' | 'messages'} */
export function tabOf(page, channel) {
  return hasHome(page, channel) ? page.tab : 'messages';
}

/** @param {Snapshot} snapshot @param {string} id @returns {import('../slack/page-api.ts').PageUser} */
export function userById(snapshot, id) {
  return snapshot.users.find((user) => user.id === id) ?? { id, name: id, initials: '?', is_bot: false };
}
