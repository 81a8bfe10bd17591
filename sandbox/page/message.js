import { html, nothing } from './vendor/lit-html/lit-html.js';
import { runShortcut } from './actions.js';
import { avatar } from './avatar.js';
import { blocks } from './blocks.js';
import { drawFiles } from './files.js';
import { icon } from './icon.js';
import { menu } from './menu.js';
import { userById } from './page.js';
import { mrkdwn } from './text-object.js';
import { openReply, thread } from './thread.js';
import { clockTime, dateOfTs, fullTime } from './time.js';

const SLACKBOT = { id: 'USLACKBOT', name: 'Slackbot', initials: 'S', is_bot: true };

/**
 * One message with its privacy note, shortcut menu and thread.
 * @param {import('./page.js').Page} page
 * @param {import('../slack/page-api.ts').PageMessage} message
 * @param {readonly import('../slack/page-api.ts').PageMessage[]} replies
 */
export function drawMessage(page, message, replies) {
  const user = message.from_slack ? SLACKBOT : userById(page.snapshot, message.user);
  const date = dateOfTs(message.ts);
  const label = `${user.name}, ${clockTime(date)}`;
  return html`<article
    class="message ${message.ephemeral ? 'private' : ''}"
    data-ts=${message.ts}
    aria-label=${label}
  >
    ${
      message.ephemeral
        ? html`<p class="private-mark">${icon('eye')} <span>Only visible to you</span></p>`
        : nothing
    }
    ${avatar(user)}
    <div class="message-body">
      <header class="message-head">
        <span class="author">${user.name}</span>
        ${badge(user)}
        <time datetime=${date.toISOString()} title=${fullTime(date)}>${clockTime(date)}</time>
      </header>
      ${content(page, message)} ${message.edited ? html`<span class="edited">(edited)</span>` : nothing}
      ${drawFiles(page, message.files)}
      ${isReply(message) ? nothing : thread(page, message, { replies, draw: (reply) => drawMessage(page, reply, []) })}
    </div>
    ${message.ephemeral || message.from_slack ? nothing : messageMenu(page, message)}
  </article>`;
}

/** @param {import('../slack/page-api.ts').PageMessage} message */
function isReply({ ts, thread_ts: root = ts }) {
  return root !== ts;
}

/** A person's organization, if it's another one. @param {import('../slack/page-api.ts').PageUser} user */
function badge({ is_bot: isBot, organization }) {
  const words = isBot ? 'APP' : organization;
  return words === undefined ? nothing : html`<span class="badge">${words}</span>`;
}

/** @param {import('./page.js').Page} page @param {import('../slack/page-api.ts').PageMessage} message */
function content(page, message) {
  if (message.blocks.length === 0) {
    if (message.text === '') return nothing;
    return html`<div class="message-text">${mrkdwn(page.snapshot, message.text)}</div>`;
  }
  const source = { type: 'message', channel: message.channel, ts: message.ts };
  return blocks({ page, source, blocks: message.blocks, errors: {} });
}

/** @param {import('./page.js').Page} page @param {import('../slack/page-api.ts').PageMessage} message */
async function copyLink(page, { permalink }) {
  try {
    await navigator.clipboard.writeText(permalink);
  } catch {
    page.set({ alert: `The browser did not let it be copied: ${permalink}` });
  }
}

/** @param {import('./page.js').Page} page @param {import('../slack/page-api.ts').PageMessage} message */
function messageMenu(page, message) {
  const shortcuts = page.snapshot.shortcuts.map(({ callback_id: id, name, description }) => ({
    label: name,
    note: description,
    run: () => runShortcut(page, message, id),
  }));
  const reply = { label: 'Reply in thread', run: () => openReply(page, message) };
  const copy = { label: 'Copy link', run: () => void copyLink(page, message) };
  const items = [...shortcuts, ...(isReply(message) ? [] : [reply]), copy];
  return html`<div class="message-menu">
    ${menu({ id: `menu-${message.ts}`, label: 'More actions', face: icon('more'), className: 'icon-button', items })}
  </div>`;
}
