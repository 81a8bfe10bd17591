import { html, nothing } from './vendor/lit-html/lit-html.js';
import { ifDefined } from './vendor/lit-html/directives/if-defined.js';
import { live } from './vendor/lit-html/directives/live.js';
import { sendDraft } from './actions.js';
import { complete } from './completion.js';
import { title } from './channel-title.js';
import { icon } from './icon.js';
import { launcher } from './launcher.js';

/**
 * The text box with command completion.
 *
 * It stays a text box for assistive technology (it takes several lines, which a combobox cannot) and names the
 * list and the marked entry as a combobox does.
 * @param {import('./page.js').Page} page
 * @param {import('../slack/page-api.ts').PageChannel} channel
 */
export function composer(page, channel) {
  const text = page.drafts.get(channel.id) ?? '';
  const { items, active, hint } = offered(page, text);
  const label = `Message ${title(channel)}`;
  // An open modal shows it instead.
  const alert = page.snapshot.views.length === 0 ? page.alert : '';
  if (channel.read_only || channel.archived) {
    const words = channel.archived
      ? 'This channel is archived, so nobody can post in it.'
      : 'Sending messages to this app has been turned off.';
    return html`<div class="composer-area">
      <p class="alert" role="alert" ?hidden=${alert === ''}>${alert}</p>
      <p class="read-only">${words}</p>
    </div>`;
  }
  return html`<div class="composer-area">
    ${completionList(page, channel, { items, active, hint })}
    <p class="alert" role="alert" ?hidden=${alert === ''}>${alert}</p>
    <form class="composer" @submit=${(event) => submit(event, page, channel)}>
      ${launcher(page, channel)}
      <textarea
        rows="1"
        aria-label=${label}
        placeholder=${label}
        autocomplete="off"
        aria-autocomplete="list"
        aria-controls=${ifDefined(items.length > 0 ? 'completions' : undefined)}
        aria-activedescendant=${ifDefined(active === -1 ? undefined : `completion-${active}`)}
        .value=${live(text)}
        @input=${(event) => setDraft(page, channel, event.target.value)}
        @keydown=${(event) => onKeyDown(event, page, channel)}
      ></textarea>
      <button class="send" aria-label="Send message" title="Send message" ?disabled=${text.trim() === ''}>
        ${icon('send')}
      </button>
    </form>
    <p class="composer-help">Type <kbd>/</kbd> for commands. <kbd>Enter</kbd> sends.</p>
  </div>`;
}

/**
 * The first entry is marked while the command's name is being typed; an arrow key marks any. What follows the name is sent
 * as it is, as in Slack.
 * @param {import('./page.js').Page} page @param {string} text
 */
function offered(page, text) {
  if (page.completion.closed) return { items: [], active: -1, hint: null };
  const { items, hint } = complete(text, page.snapshot);
  const first = items.length > 0 && !text.includes(' ') ? 0 : -1;
  return { items, hint, active: Math.min(page.completion.active ?? first, items.length - 1) };
}

/** @param {import('./page.js').Page} page @param {import('../slack/page-api.ts').PageChannel} channel @param {ReturnType<typeof offered>} offer */
function completionList(page, channel, { items, active, hint }) {
  if (hint !== null) return html`<p class="completions completion-hint">${completionWords(hint)}</p>`;
  const count = items.length === 1 ? '1 command' : `${items.length} commands`;
  const options = items.map(
    (item, index) =>
      html`<li
        role="option"
        id="completion-${index}"
        aria-selected=${index === active ? 'true' : 'false'}
        @mousedown=${(event) => event.preventDefault()}
        @click=${() => setDraft(page, channel, item.insert)}
      >
        ${completionWords(item)}
      </li>`,
  );
  return html`${
      items.length === 0
        ? nothing
        : html`<ul class="completions" id="completions" role="listbox" aria-label="Commands" tabindex="0">
            ${options}
          </ul>`
    }
    <p class="visually-hidden" role="status">${items.length === 0 ? '' : `${count}, use the arrow keys`}</p>`;
}

/** @param {import('./completion.js').Completion} item */
function completionWords({ label, usage, summary }) {
  return html`<span class="completion-label">${label}</span> <span class="completion-usage">${usage}</span>
    <span class="completion-summary">${summary}</span>`;
}

/** @param {import('./page.js').Page} page @param {import('../slack/page-api.ts').PageChannel} channel @param {string} text */
function setDraft(page, channel, text) {
  page.drafts.set(channel.id, text);
  page.set({ alert: '', completion: { active: null, closed: false } });
}

/** @param {Event} event @param {import('./page.js').Page} page @param {import('../slack/page-api.ts').PageChannel} channel */
function submit(event, page, channel) {
  event.preventDefault();
  return sendDraft(page, channel.id);
}

/** @param {KeyboardEvent} event @param {import('./page.js').Page} page @param {import('../slack/page-api.ts').PageChannel} channel */
function onKeyDown(event, page, channel) {
  if (event.isComposing || event.shiftKey) return;
  const text = page.drafts.get(channel.id) ?? '';
  const { items, active } = offered(page, text);
  const chosen = items[event.key === 'Tab' ? Math.max(active, 0) : active];
  const adds = chosen !== undefined && chosen.insert.trim() !== text.trim();
  if (event.key === 'Enter') {
    event.preventDefault();
    if (adds) setDraft(page, channel, chosen.insert);
    else void sendDraft(page, channel.id);
  } else if (event.key === 'Tab' && adds) {
    event.preventDefault();
    setDraft(page, channel, chosen.insert);
  } else if (event.key === 'Escape' && items.length > 0) {
    page.set({ completion: { active: null, closed: true } });
  } else if (items.length > 0 && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
    event.preventDefault();
    const last = items.length - 1;
    const next = event.key === 'ArrowDown' ? active + 1 : active - 1;
    page.set({ completion: { active: next > last ? 0 : next < 0 ? last : next, closed: false } });
  }
}
