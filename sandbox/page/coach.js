import { html, nothing } from './vendor/lit-html/lit-html.js';
import { closeTour, resetSandbox, sendDraft } from './actions.js';

const CHANNEL = 'C0SUPPORT01';
const APP = 'U0COBROWSE';

/**
 * The marks, and what their buttons do.
 *
 * @typedef {{ step: string, title: string, words: string, next?: { label: string, run: (page: import('./page.js').Page) =>
 *   unknown } }} Mark
 */

/** @type {Mark} */
const arrive = {
  step: '1 of 3',
  title: 'A message arrives',
  words: 'Jane can’t pay. You’re in support, and can help without leaving Slack.',
  next: { label: 'Find her', run: typeCommand },
};
/** @type {Mark} */
const find = {
  step: '2 of 3',
  title: 'Find',
  words: 'Type /cobrowse and her name, her email or the code on her page.',
};
/** @type {Mark} */
const sendIt = {
  ...find,
  words: 'The code on her page finds her. Her name or her email does, too.',
  next: { label: 'Send it', run: (page) => sendDraft(page, CHANNEL) },
};
/** @type {Mark} */
const watch = {
  step: '3 of 3',
  title: 'Watch',
  words: 'Press Watch. Jane’s page opens in a new tab, and there you see both sides.',
};
/** @type {Mark} */
const watching = {
  step: '3 of 3',
  title: 'Help her in the other tab',
  words: 'It shows both sides. Press End session there, and the summary appears here.',
};
/** @type {Mark} */
const over = {
  step: 'Done',
  title: 'The summary is here',
  words: 'Everyone in the channel can read how it went. That’s all there is to learn.',
};

/** What every summary says. */
const SUMMARIES = ['Co-browsing session ended', 'asked to see the screen'];

const shows = (message, words) => JSON.stringify(message.blocks).includes(words);

/** What comes next, after what has happened. @param {import('./page.js').Page} page @returns {Mark} */
function markOf(page) {
  const { messages, tour, can_reset: canReset } = page.snapshot;
  const here = messages.filter(({ channel, user }) => channel === CHANNEL && user === APP);
  const posted = here.filter(({ ephemeral }) => !ephemeral);
  if (posted.some((message) => shows(message, 'becomes the summary'))) return watching;
  if (posted.some((message) => SUMMARIES.some((title) => shows(message, title)))) {
    const again = { label: 'Start again', run: resetSandbox };
    return { ...over, next: canReset ? again : { label: 'Close', run: closeTour } };
  }
  if (here.some((message) => shows(message, 'Jane Cooper') && shows(message, '"Watch"'))) return watch;
  const draft = page.drafts.get(CHANNEL) ?? '';
  if (!draft.startsWith('/')) return arrive;
  if (draft === tour.command) return sendIt;
  return find;
}

/**
 * The first minute in the sandbox: three marks in a strip above the composer, where they cover nothing, until closed.
 * @param {import('./page.js').Page} page @param {import('../slack/page-api.ts').PageChannel} channel
 */
export function coach(page, channel) {
  if (page.snapshot.tour === undefined || channel.id !== CHANNEL) return nothing;
  const { step, title, words, next } = markOf(page);
  return html`<aside class="coach" aria-label="First steps">
    <p class="coach-step">${step}</p>
    <button class="coach-close" aria-label="Close the first steps" @click=${() => closeTour(page)}>×</button>
    <h2>${title}</h2>
    <p>${words}</p>
    ${
      next === undefined
        ? nothing
        : html`<button class="coach-next" @click=${() => next.run(page)}>${next.label}</button>`
    }
  </aside>`;
}

/** @param {import('./page.js').Page} page */
function typeCommand(page) {
  page.drafts.set(CHANNEL, page.snapshot.tour.command);
  page.set({ completion: { active: null, closed: true } });
  document.querySelector('.composer textarea')?.focus();
}
