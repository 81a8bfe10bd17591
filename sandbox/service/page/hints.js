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
  if (page === null) return 'opening';
  if (page.querySelector('main.thanks')) return 'paid';
  const box = page.querySelector('#checkout #terms');
  if (!box) return 'elsewhere';
  if (box.checked) return 'ticked';
  if (isShown) return 'shown';
  return page.querySelector('#problem')?.hidden === false ? 'stuck' : 'begun';
}

/**
 * Follows what has happened, and names a button only while it's there.
 *
 * @param {{ name: string, status: string, isPresent: boolean, hasCome: boolean, awayMs: number, isElsewhere: boolean,
 *   otherAsking?: string, isControlAsked: boolean, step: keyof STEPS, isStory: boolean }} seen `isElsewhere`: the visitor's page is in the
 *   tab of another session
 */
export function hintWords(seen) {
  const { name, status, isPresent, hasCome, awayMs, isElsewhere, isStory } = seen;
  if (!isPresent) {
    if (awayMs < GONE_MS) return hasCome ? `Waiting for ${name}’s page…` : opening(name);
    if (!hasCome) return `${name}’s page didn’t open here. Reload this tab to try again.`;
    return `${name}’s page is gone: it was closed, or it’s on a site without the snippet. Reload this tab to bring it back.`;
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
const paid = (name) => `${name} has paid. Press “End session”: the summary appears in Slack.`;
const stuck = (name) =>
  `Paying failed. In the live view, click the unticked box to show ${name} what’s missing.`;
const elsewhere = (name) => `What you do here as ${name} shows in the live view.`;

/** Each step's words: for who plays both sides, and where the visitor plays their own part. */
const STEPS = {
  opening: { both: opening, story: opening },
  elsewhere: { both: elsewhere, story: elsewhere },
  begun: {
    both: (name) => `As ${name}, press “Pay”.`,
    story: (name) => `${name} fills in the form and tries to pay.`,
  },
  stuck: { both: stuck, story: stuck },
  shown: {
    both: (name) => `${name} sees it highlighted. As ${name}, tick the box.`,
    story: (name) => `${name} sees it highlighted, ticks the box and pays.`,
  },
  ticked: {
    both: (name) => `As ${name}, press “Pay”.`,
    story: (name) => `${name} has ticked the box, and pays.`,
  },
  paid: { both: paid, story: paid },
};
