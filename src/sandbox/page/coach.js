import { html, nothing } from './vendor/lit-html/lit-html.js';
import { say } from './actions.js';

const CHANNEL = 'C0SUPPORT01';
const SAM = 'U0SAM000002';
const STORY =
  'Jane Cooper is on the line: she can’t pay, the button does nothing. The code on her page is 4821. Who can look?';
const FIND = '/cobrowse 4821';
const ARRIVES_MS = 1_200;

/** The three marks, and the words for what follows the last press. */
const MARKS = {
  arrive: {
    step: '1 of 3',
    title: 'A message arrives',
    words: 'A customer is stuck. You are Alex in support, and can help without leaving Slack.',
    next: 'Find her',
  },
  find: {
    step: '2 of 3',
    title: 'Find',
    words: 'Type /cobrowse and her name, her email or the code on her page. Press Enter to send it.',
    next: 'Type it for me',
  },
  watch: {
    step: '3 of 3',
    title: 'Watch',
    words: 'Press Watch. Jane’s page opens in a new tab, and there you see both sides.',
  },
  watching: {
    step: '3 of 3',
    title: 'You’re watching',
    words: 'Jane’s page is in the other tab. Press End session there, and the summary appears here.',
  },
  over: {
    step: 'Done',
    title: 'The summary is here',
    words:
      'Everyone in the channel can read how long it took and which tools were used. That’s all there is to learn.',
    next: 'Close',
  },
};

const shows = (message, words) => JSON.stringify(message.blocks).includes(words);

/** Which mark to show, given what the person has seen. @param {import('./page.js').Page} page */
function markOf(page) {
  const messages = page.snapshot.messages.filter(({ channel }) => channel === CHANNEL);
  if (messages.some((message) => !message.ephemeral && shows(message, 'Co-browsing session ended')))
    return 'over';
  if (messages.some((message) => !message.ephemeral && shows(message, '’s screen'))) return 'watching';
  if (messages.some((message) => message.ephemeral && shows(message, 'jane4821'))) return 'watch';
  if (!messages.some(({ text }) => text.includes('The code on her page'))) return 'none';
  return page.coach === 'find' ? 'find' : 'arrive';
}

/**
 * The first minute in the sandbox: three marks in a strip above the composer, where they cover nothing, until closed.
 * @param {import('./page.js').Page} page @param {import('../slack/page-api.ts').PageChannel} channel
 */
export function coach(page, channel) {
  if (page.snapshot.tour !== true || page.coach === 'closed' || channel.id !== CHANNEL) return nothing;
  const mark = markOf(page);
  if (mark === 'none') {
    begin(page);
    return nothing;
  }
  const { step, title, words, next } = MARKS[mark];
  return html`<aside class="coach" aria-label="First steps">
    <p class="coach-step">${step}</p>
    <button
      class="coach-close"
      aria-label="Close the first steps"
      @click=${() => page.set({ coach: 'closed' })}
    >
      ×
    </button>
    <h2>${title}</h2>
    <p>${words}</p>
    ${
      next === undefined
        ? nothing
        : html`<button class="coach-next" @click=${() => goOn(page, mark)}>${next}</button>`
    }
  </aside>`;
}

let hasBegun = false;

/** Starts the story once somebody is looking. @param {import('./page.js').Page} page */
function begin(page) {
  if (hasBegun || page.snapshot.me === SAM) return;
  hasBegun = true;
  setTimeout(() => void say(SAM, CHANNEL, STORY), ARRIVES_MS);
}

/** @param {import('./page.js').Page} page @param {string} mark */
function goOn(page, mark) {
  if (mark === 'over') page.set({ coach: 'closed' });
  else if (mark === 'arrive') page.set({ coach: 'find' });
  else {
    page.drafts.set(CHANNEL, FIND);
    page.set({ completion: { active: null, closed: true } });
    document.querySelector('.composer textarea')?.focus();
  }
}
