import { html, nothing } from './vendor/lit-html/lit-html.js';
import { live } from './vendor/lit-html/directives/live.js';
import { sendReply } from './actions.js';
import { icon } from './icon.js';

/** @param {import('../slack/page-api.ts').PageMessage} message */
const keyOf = ({ channel, ts }) => `${channel}/${ts}`;

/**
 * The thread of a message: its replies, and a small composer for another.
 * @param {import('./page.js').Page} page
 * @param {import('../slack/page-api.ts').PageMessage} root
 * @param {{ replies: readonly import('../slack/page-api.ts').PageMessage[], draw: (reply: object) => unknown }} thread
 */
export function thread(page, root, { replies, draw }) {
  const isOpen = page.replying === keyOf(root);
  if (replies.length === 0 && !isOpen) return nothing;
  const count = replies.filter(({ ephemeral }) => !ephemeral).length;
  const words = count === 1 ? '1 reply' : `${count} replies`;
  return html`<section class="thread" aria-label="Thread">
    ${count === 0 ? nothing : html`<p class="reply-count">${words}</p>`} ${replies.map(draw)}
    ${isOpen ? replyBox(page, root) : replyButton(page, root)}
  </section>`;
}

/**
 * Opens the thread's composer and focuses it. @param {import('./page.js').Page} page @param
 * {import('../slack/page-api.ts').PageMessage} root
 */
export function openReply(page, root) {
  page.set({ replying: keyOf(root), alert: '' });
  document.querySelector('.reply-box textarea')?.focus();
}

/** @param {import('./page.js').Page} page @param {import('../slack/page-api.ts').PageMessage} root */
function replyButton(page, root) {
  if (root.ephemeral) return nothing;
  return html`<button type="button" class="reply-button" @click=${() => openReply(page, root)}>
    Reply…
  </button>`;
}

/** @param {import('./page.js').Page} page @param {import('../slack/page-api.ts').PageMessage} root */
function replyBox(page, root) {
  const text = page.drafts.get(keyOf(root)) ?? '';
  const submit = (event) => {
    event.preventDefault();
    void sendReply(page, root);
  };
  const onInput = (event) => {
    page.drafts.set(keyOf(root), event.target.value);
    page.set({ alert: '' });
  };
  const onKeyDown = (event) => {
    if (event.isComposing) return;
    if (event.key === 'Escape') page.set({ replying: '' });
    if (event.key === 'Enter' && !event.shiftKey) submit(event);
  };
  return html`<form class="composer reply-box" @submit=${submit}>
    <textarea
      rows="1"
      aria-label="Reply in thread"
      placeholder="Reply…"
      autocomplete="off"
      .value=${live(text)}
      @input=${onInput}
      @keydown=${onKeyDown}
    ></textarea>
    <button class="send" aria-label="Send reply" title="Send reply" ?disabled=${text.trim() === ''}>
      ${icon('send')}
    </button>
  </form>`;
}
