// What to do next, for the person who plays both sides: only the sandbox shows the visitor's own browser too.

/** After how long without the visitor's page it's more than on its way to the next one. */
export const GONE_MS = 10_000;

/**
 * How far the shop's story is, read off the visitor's page as the agent sees it.
 *
 * @param {Document | null} page
 * @param {boolean} isShown whether the box to tick was pointed out there
 * @returns {keyof STEPS}
 */
export function stepOf(page, isShown) {
  if (!page?.body?.hasChildNodes()) return 'loading';
  if (page.querySelector('main.thanks')) return 'paid';
  const box = page.querySelector('#checkout #terms');
  if (!box) return 'elsewhere';
  const hasFailed = page.querySelector('#problem')?.hidden === false;
  const isEmpty = ['#name', '#card'].some((field) => page.querySelector(field)?.value === '');
  if (isEmpty) return hasFailed ? 'empty' : 'filling';
  if (box.checked) return 'ticked';
  if (isShown) return 'shown';
  return hasFailed ? 'stuck' : 'begun';
}

/**
 * Follows what has happened, and names a button only while it's there.
 *
 * @param {{ name: string, status: string, isPresent: boolean, isOffline: boolean, hasCome: boolean, awayMs: number,
 *   isElsewhere: boolean, otherAsking?: string, isControlAsked: boolean, step: keyof STEPS, isStory: boolean }} seen
 *   `isOffline`: their page wasn't opened here yet; `isElsewhere`: it's in the tab of another session
 */
export function hintWords(seen) {
  const { name, status, isPresent, hasCome, awayMs, isElsewhere, isStory } = seen;
  if (!isPresent) {
    if (seen.isOffline) return `${name} is offline. The session waits a minute for their page.`;
    if (awayMs < GONE_MS) return hasCome ? `Waiting for ${name}’s page…` : opening(name);
    if (!hasCome) return `${name}’s page didn’t open here. Reload this tab to try again.`;
    return `${name}’s page is gone, or has no snippet. Reload this tab to bring it back.`;
  }
  if (status === 'asking') {
    if (isStory) return `${name} plays along, and agrees in a moment.`;
    const press = `press “Show this page”${isElsewhere ? ' there' : ''}, or “Not now”.`;
    return isElsewhere
      ? `${name} is asked in the other tab: ${press}`
      : `You play both sides. As ${name}, ${press}`;
  }
  if (isElsewhere) return `You see ${name}’s page in the other tab. What happens there shows here.`;
  if (seen.otherAsking !== undefined)
    return `${seen.otherAsking} asks, too. As ${name}, press “Show this page”, or “Not now”.`;
  if (seen.isControlAsked) return `As ${name}, press “Allow”, or “Not now”.`;
  return STEPS[seen.step][isStory ? 'story' : 'both'](name);
}

const opening = (name) => `Opening ${name}’s page…`;
const loading = (name) => `${name} agreed. Loading the live view…`;
const fillsIn = (name) => `${name} fills in the form. What’s typed is masked in the live view.`;
const paid = (name) => `${name} has paid. Press “End session”: the summary appears in Slack.`;
const stuck = (name) =>
  `Paying failed. In the live view, click the unticked box to show ${name} what’s missing.`;
const elsewhere = (name) => `What you do here as ${name} shows in the live view.`;

/** Each step's words: for who plays both sides, and where the visitor plays their own part. */
const STEPS = {
  loading: { both: loading, story: loading },
  elsewhere: { both: elsewhere, story: elsewhere },
  filling: { both: fillsIn, story: fillsIn },
  empty: { both: (name) => `As ${name}, fill in what’s empty.`, story: fillsIn },
  begun: {
    both: (name) => `As ${name}, press “Pay”.`,
    story: (name) => `${name} tries to pay.`,
  },
  stuck: { both: stuck, story: stuck },
  shown: {
    both: (name) => `${name} saw what’s missing. As ${name}, tick the box.`,
    story: (name) => `${name} saw what’s missing, ticks the box and pays.`,
  },
  ticked: {
    both: (name) => `As ${name}, press “Pay”.`,
    story: (name) => `${name} has ticked the box, and pays.`,
  },
  paid: { both: paid, story: paid },
};
