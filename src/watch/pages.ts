import {
  failureMessage,
  refusalWords,
  rightUnknownWords,
  type FailureWords,
  cobrowseFailureWords,
  storeFailureWords,
} from '../messages/failure-words.ts';
import type { Message } from '../messages/message.ts';
import { REFUSALS } from '../permissions/permissions.ts';
import type { CobrowseError } from '../cobrowse/errors.ts';
import { page } from '../http/page.ts';
import type { Reply } from '../http/server.ts';
import type { LinkRequest } from '../messages/link-request.ts';
import { ago, short } from '../messages/text.ts';

/** Why a press gives no link. `unchecked`: Slack couldn't be asked; `late`: reported too late to prove who opens the page. */
export const PRESS_REFUSALS = [...REFUSALS, 'someone-else', 'unchecked', 'late'] as const;
export type PressRefusal = (typeof PRESS_REFUSALS)[number];

function pressRefusalWords(why: PressRefusal): FailureWords {
  if (why === 'unchecked') return rightUnknownWords();
  if (why === 'late')
    return {
      text: 'Slack took over a minute to tell us about your press, so it no longer counts.',
      next: 'Press Watch again. If this keeps happening, ask your admin to check the server’s clock.',
    };
  if (why !== 'someone-else') return refusalWords('watch', why);
  return {
    text: 'This button was made for someone else.',
    next: 'Type “/cobrowse find” to get your own button.',
  };
}

export const pressRefused = (why: PressRefusal): Message => failureMessage(pressRefusalWords(why));

/** For whoever opens the address without a press: nothing about the visitor, and no link. */
export const lookingPage: Reply = page(200, {
  title: 'A customer’s screen opens here',
  text: 'This address opens a live view when a support agent presses Watch in Slack.',
});

export const expiredPage: Reply = page(410, {
  title: 'This Watch button has expired',
  text: 'Watch buttons only work for a limited time, so an old message can’t open anyone’s screen.',
  next: 'Go back to Slack and search again with /cobrowse find to get a new button.',
});

/** Opened by a phone that doesn't report presses, or by whoever copied the address. */
export const blockedPage: Reply = page(410, {
  title: 'This Watch button was opened too often',
  text: 'This button’s link was opened several times without a press in Slack, so it no longer works.',
  next: 'If you just pressed Watch, check Slack for a private message from Co-browse. If it wasn’t you, tell your admin.',
});

export const badTicketPage: Reply = page(404, {
  title: 'This link doesn’t work',
  text: 'It isn’t one of this app’s Watch links, or it was cut off when it was copied.',
  next: 'Go back to Slack and press Watch there.',
});

export const removedPage: Reply = page(410, {
  title: 'The app was removed',
  text: 'This button’s workspace no longer has the app, or has to install it again.',
  next: 'Ask an admin there to install it again.',
});

const toSlack = { button: 'Continue in Slack', leadsTo: "'self'" };

/** Says no more than the address itself does: anyone may have opened it. */
export const noPressPage: Reply = page(403, {
  title: 'We couldn’t confirm it was you',
  text: 'Watch works once, right after you press the button in Slack. If you just did, your phone didn’t confirm the tap.',
  next: 'If it was you, continue in Slack, or press Watch there on a computer.',
  form: toSlack,
});

/** The button's press is used. Whoever opens this page may be its owner, whose link went to something else, or anyone. */
export const takenPage: Reply = page(403, {
  title: 'Something opened this link before you did',
  text: 'Each press in Slack opens one page. Another tab, or a program that checks links, was first.',
  next: 'If you pressed Watch, look in your other tabs, or continue in Slack.',
  form: toSlack,
});

/**
 * Back into Slack's app, by itself where the browser lets it. Whoever opens this may not be who gets the message, so it says
 * nothing about them. Source: docs.slack.dev/interactivity/deep-linking, `slack://channel` and `slack://open`.
 * @param isAgain within a minute, when nothing is sent again
 */
export function sentPage({ workspaceId, channelId }: LinkRequest, isAgain = false): Reply {
  const team = encodeURIComponent(workspaceId);
  const to =
    channelId === undefined
      ? `slack://open?team=${team}`
      : `slack://channel?team=${team}&id=${encodeURIComponent(channelId)}`;
  return page(
    200,
    {
      title: 'Continue in Slack',
      text: isAgain
        ? 'You asked a moment ago. If Co-browse sent you a private message, tap its button in Slack.'
        : 'Check Slack for a private message from Co-browse. Tap its button to continue.',
      next: 'If nothing comes, try this page again in a minute.',
      link: { text: 'Open Slack', to },
    },
    { refresh: `0; url=${to}` },
  );
}

export const notSentPage: Reply = page(502, {
  title: 'We couldn’t reach you in Slack',
  text: 'Slack rejected our message.',
  next: 'Go back to Slack and press Watch there, on a computer if you can, or try this page again in a minute.',
});

/** A button that leads to a link, and where it may lead, as the policy names it. */
interface LinkForm {
  readonly action: string;
  readonly leadsTo: string;
}

export const joinPage = (form: LinkForm, name: string, agoMs: number): Reply =>
  page(200, {
    title: 'Join them?',
    text: `${short(name)} asked to see this screen ${ago(agoMs)} and may be watching.`,
    next: 'To leave it to them, close this page.',
    form: { ...form, button: 'Join' },
  });

/** They have a link to the screen already, which is nowhere but in their browser, or another tab of a double click has. */
export const againPage = (form: LinkForm): Reply =>
  page(200, {
    title: 'Open it again?',
    text: 'You asked to see this screen already. Look for it in your other tabs first.',
    next: 'If you open another, the customer is asked again.',
    form: { ...form, button: 'Open another' },
  });

export const joinExpiredPage: Reply = page(410, {
  title: 'This page expired',
  text: 'Its button works once, for two minutes.',
  next: 'Go back to Slack and press Watch again.',
});

const TITLE = 'Nothing was opened';

/** Of a 503: when browsers and tools may come back. */
const LATER = { 'retry-after': '60' };

export function refusedPage(why: PressRefusal): Reply {
  const words = { title: TITLE, ...pressRefusalWords(why) };
  return why === 'unchecked' ? page(503, words, LATER) : page(403, words);
}

/** The link couldn't be recorded, or what it depends on couldn't be read. */
export const storeFailurePage = (): Reply =>
  page(503, { title: TITLE, ...storeFailureWords({ kind: 'failed' }) }, LATER);

export function failurePage(error: CobrowseError): Reply {
  if (error.kind === 'not-found')
    return page(404, {
      title: 'This customer is gone',
      text: 'The co-browsing service no longer knows this customer: they may have left or been deleted.',
      next: 'Go back to Slack and search again with /cobrowse find.',
    });
  return page(502, { title: TITLE, ...cobrowseFailureWords(error) });
}
