import { html, nothing, render } from './vendor/lit-html/lit-html.js';
import { NO_ANSWER, reportReload, reportTab } from './actions.js';
import { title } from './channel-title.js';
import { conversation } from './conversation.js';
import { modal } from './modal.js';
import { settleDialogs } from './dialog.js';
import { settleLookups } from './external-select.js';
import { createPage, currentChannel, tabOf } from './page.js';
import { question } from './question.js';
import { sidebar } from './sidebar.js';
import { skipLink } from './skip-link.js';
import { slackbot } from './slackbot.js';
import { openStream } from './stream.js';

const BOTTOM_PX = 60;

const as = new URLSearchParams(location.search).get('as') ?? document.body.dataset.firstUser ?? '';
const page = createPage(as, draw);

/** The app's tab that was last reported to the server. */
let reported = '';
let isDrawing = false;
let isStale = false;

/** Draws the page. Removing a focused field fires its change event during a drawing; that drawing waits. */
function draw() {
  isStale = true;
  if (isDrawing) return;
  isDrawing = true;
  try {
    while (isStale) {
      isStale = false;
      drawOnce();
    }
  } finally {
    isDrawing = false;
  }
}

/** Keeps the newest message visible, unless the person has scrolled up to read. */
function drawOnce() {
  const list = document.querySelector('.messages');
  const before = document.body.dataset.channel;
  const channel = currentChannel(page);
  const follow = list === null || list.scrollHeight - list.scrollTop - list.clientHeight < BOTTOM_PX;
  const focused = document.activeElement?.closest('#panel-home [data-action]')?.dataset.action ?? '';
  markSeen(channel);
  render(layout(channel), document.body);
  settleDialogs();
  giveFocusBack(focused);
  settleLookups();
  if (channel === undefined) return;
  document.body.dataset.channel = channel.id;
  document.title = `${title(channel)} - ${page.snapshot.workspace}`;
  const drawn = document.querySelector('.messages');
  if (drawn !== null && (follow || before !== channel.id)) drawn.scrollTop = drawn.scrollHeight;
  showGoal();
  focusComposer();
  reportOpenTab(channel);
}

/** The action of the Home button that had the focus when it was taken away; empty if none was. */
let missed = '';

/**
 * An app that takes long empties its Home in between: the button gets the focus back with the next view that has it, unless
 * something else has it by then. @param {string} focused the action of the Home button that had it before this drawing
 */
function giveFocusBack(focused) {
  if (document.activeElement !== document.body) missed = '';
  else if (focused !== '') missed = focused;
  if (missed === '') return;
  const [button, ...others] = document.querySelectorAll(`#panel-home [data-action="${CSS.escape(missed)}"]`);
  if (others.length === 0) button?.focus();
}

/** Scrolls to the message that an address names, as soon as it's there. */
function showGoal() {
  const message = page.goal === '' ? null : document.querySelector(`[data-ts="${CSS.escape(page.goal)}"]`);
  if (message === null) return;
  page.goal = '';
  message.scrollIntoView({ block: 'center' });
  message.tabIndex = -1;
  message.focus();
}

let hasFocused = false;

/** Focuses the composer, as in Slack, unless the address leads elsewhere. */
function focusComposer() {
  if (hasFocused) return;
  hasFocused = true;
  if (page.goal === '' && document.activeElement === document.body)
    document.querySelector('.composer textarea')?.focus();
}

/**
 * Reports each opening of the app's direct messages, and of another tab there. @param
 * {import('../slack/page-api.ts').PageChannel} channel
 */
function reportOpenTab(channel) {
  const tab = channel.kind === 'dm' ? tabOf(page, channel) : '';
  const open = tab === '' ? '' : `${channel.id}/${tab}`;
  if (open === reported) return;
  reported = open;
  if (tab !== '') void reportTab(page, tab);
}

/** @param {import('../slack/page-api.ts').PageChannel | undefined} channel */
function layout(channel) {
  if (page.snapshot === null) {
    const words = page.connected ? 'Loading the sandbox…' : 'The sandbox isn’t answering. Trying again…';
    return html`<p class="loading" role="status">${words}</p>`;
  }
  const view = page.snapshot.views.at(-1);
  return html`${channel === undefined ? nothing : skipLink(page, channel)} ${sidebar(page)}
  ${channel === undefined ? nothing : conversation(page, channel)}
  ${view === undefined ? nothing : modal(page, view)} ${page.slackbot === null ? nothing : slackbot(page)}
  ${page.question === null ? nothing : question(page)}`;
}

/** Messages from before the start are read. @param {import('../slack/page-api.ts').PageChannel | undefined} open */
function markSeen(open) {
  const isFirst = page.seen.size === 0;
  for (const { channel, ts } of page.snapshot?.messages ?? []) {
    const isNew = !isFirst && channel !== open?.id;
    if (!isNew && ts > (page.seen.get(channel) ?? '')) page.seen.set(channel, ts);
  }
}

function openChannelOfAddress() {
  const [channelId, goal = ''] = location.hash.slice(1).split('/');
  page.set({ channelId, goal, tab: goal === '' ? 'home' : 'messages', replying: '', alert: '' });
}

/**
 * A link to the current place doesn't change the address, but should still lead there again. @param {MouseEvent} event
 */
function followAgain(event) {
  const place = event.target.closest('a[href^="#"]')?.hash;
  if (place !== undefined && place === location.hash) openChannelOfAddress();
}

window.addEventListener('click', followAgain);
window.addEventListener('hashchange', openChannelOfAddress);
window.addEventListener('scroll', settleLookups, { capture: true, passive: true });
openChannelOfAddress();
await reportReload(as);
openStream(as, {
  onSnapshot(snapshot) {
    // After a reset, nothing that this tab remembers is there anymore.
    if (page.snapshot !== null && page.snapshot.resets !== snapshot.resets) location.reload();
    else page.set({ snapshot, connected: true });
  },
  onConnection: (connected) =>
    page.set({ connected, alert: connected && page.alert === NO_ANSWER ? '' : page.alert }),
});
