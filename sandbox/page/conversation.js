import { html, nothing } from './vendor/lit-html/lit-html.js';
import { repeat } from './vendor/lit-html/directives/repeat.js';
import { appHome, appTabs } from './app-home.js';
import { channelSettings } from './channel-settings.js';
import { coach } from './coach.js';
import { composer } from './composer.js';
import { title } from './channel-title.js';
import { icon } from './icon.js';
import { drawMessage } from './message.js';
import { hasApp, hasHome, tabOf } from './page.js';
import { dateOfTs, dayName } from './time.js';

/**
 * The open channel: its name and topic, its messages, the composer.
 * @param {import('./page.js').Page} page
 * @param {import('../slack/page-api.ts').PageChannel} channel
 */
export function conversation(page, channel) {
  const isDirect = channel.kind === 'dm';
  return html`<main class="conversation">
    <header class="channel-head">
      <h1>${isDirect ? nothing : html`<span class="hash">${icon('hash')}</span>`}${channel.name}</h1>
      <p class="topic">${channel.topic}</p>
      ${channel.shared_with === undefined ? nothing : html`<p class="chip">Shared with ${channel.shared_with}</p>`}
      ${channel.has_app || isDirect || !hasApp(page.snapshot) ? nothing : html`<p class="chip">The app is not in this channel</p>`}
      ${channel.archived ? html`<p class="chip">Archived</p>` : nothing} ${channelSettings(page, channel)}
    </header>
    ${hasHome(page, channel) ? appTabs(page, channel) : nothing}
    ${page.connected ? nothing : html`<p class="offline" role="status">Connecting to the sandbox again…</p>`}
    ${tabOf(page, channel) === 'home' ? appHome(page) : messagesPanel(page, channel)}
  </main>`;
}

/** @param {import('./page.js').Page} page @param {import('../slack/page-api.ts').PageChannel} channel */
function messagesPanel(page, channel) {
  const log = html`<div
    class="messages"
    tabindex="0"
    role="log"
    aria-live="polite"
    aria-label="Messages in ${title(channel)}"
  >
    ${days(page, channel)}
  </div>`;
  if (!hasHome(page, channel)) return html`${log} ${coach(page, channel)} ${composer(page, channel)}`;
  return html`<div class="panel" id="panel-messages" role="tabpanel" aria-labelledby="tab-messages">
    ${log} ${composer(page, channel)}
  </div>`;
}

/** @param {import('./page.js').Page} page @param {import('../slack/page-api.ts').PageChannel} channel */
function days(page, channel) {
  const { top, repliesTo } = threads(page.snapshot.messages.filter((one) => one.channel === channel.id));
  if (top.length === 0) return html`<p class="empty">This is the very beginning of ${title(channel)}.</p>`;
  const now = new Date();
  const dayOf = (message) => dayName(dateOfTs(message.ts), now);
  return repeat(
    top,
    (message) => message.ts,
    (message, index) =>
      html`${
        index > 0 && dayOf(top[index - 1]) === dayOf(message)
          ? nothing
          : html`<h2 class="day"><span>${dayOf(message)}</span></h2>`
      }
      ${drawMessage(page, message, repliesTo(message.ts))}`,
  );
}

/**
 * Parents in order; a reply whose parent isn't visible is shown alone.
 * @param {readonly import('../slack/page-api.ts').PageMessage[]} messages
 */
function threads(messages) {
  const ordered = messages.toSorted((one, other) => Number(one.ts) - Number(other.ts));
  const known = new Set(ordered.map(({ ts }) => ts));
  const isReply = ({ ts, thread_ts: parent }) => parent !== undefined && parent !== ts && known.has(parent);
  const replies = Map.groupBy(ordered.filter(isReply), ({ thread_ts: parent }) => parent);
  return {
    top: ordered.filter((message) => !isReply(message)),
    repliesTo: (ts) => replies.get(ts) ?? [],
  };
}
