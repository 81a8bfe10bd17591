import { html } from './vendor/lit-html/lit-html.js';
import { tabOf } from './page.js';

/**
 * The first thing the keyboard comes to, and seen only then: over the sidebar and the messages to where one types, or to
 * the app's Home. A button, since an address after "#" is a channel here.
 * @param {import('./page.js').Page} page
 * @param {import('../slack/page-api.ts').PageChannel} channel
 */
export function skipLink(page, channel) {
  const isHome = tabOf(page, channel) === 'home';
  const isClosed = channel.read_only || channel.archived;
  const [words, target] = isHome
    ? ['Skip to the app’s Home', '.app-home']
    : isClosed
      ? ['Skip to the messages', '.messages']
      : ['Skip to the message field', '.composer textarea'];
  const skip = () => document.querySelector(target)?.focus();
  return html`<button type="button" class="skip-link" @click=${skip}>${words}</button>`;
}
