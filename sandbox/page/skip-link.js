import { html } from './vendor/lit-html/lit-html.js';
import { tabOf } from './page.js';

/**
 * The first stop for the keyboard, visible only then: jumps past the sidebar and the messages to the composer, or to
 * the app's Home tab. A button, since "#" addresses are channels here.
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
