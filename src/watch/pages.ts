import { page } from '../http/page.ts';
import type { Reply } from '../http/routes.ts';
import type { CobrowseError, CobrowseErrorKind } from '../cobrowse/errors.ts';
import { isUnanswered } from '../grants/press-refusal.ts';
import type { PressRefusal } from '../grants/press-refusal.ts';
import { cobrowseFailureWords, storeFailureWords } from '../views/failure-words.ts';
import { ago, short } from '../views/text.ts';
import { pressRefusalWords } from '../views/press-refusals.ts';

const STATUS: Readonly<Record<CobrowseErrorKind, number>> = {
  'not-found': 404,
  'limit-reached': 402,
  'visitor-online': 409,
  'not-authorized': 402,
  'refused-key': 502,
  busy: 503,
  unreachable: 502,
  'timed-out': 504,
  'called-off': 503,
  'not-understood': 502,
  'not-offered': 502,
};

/** For everybody who only looks: nothing about the visitor, and no link is made. */
export const lookingPage: Reply = page(200, {
  title: 'A customer’s screen opens here',
  text: 'This address opens a live view when a support agent presses Watch in Slack.',
});

export const expiredPage: Reply = page(410, {
  title: 'This Watch button has expired',
  text: 'A Watch button works for a limited time, so that an old message opens nobody’s screen.',
  next: 'Go back to Slack and search again with /cobrowse find for a fresh button.',
});

/** Opened again and again without a press: by a phone that tells Slack of none, or by whoever copied the address. */
export const wornPage: Reply = page(410, {
  title: 'This Watch button was opened too often',
  text: 'Its address was opened again and again without a press in Slack, so that it opens nothing any more.',
  next: 'Did you press Watch just now? Look at Slack: a message there, which nobody else sees, brings you the link. Was it not you? Tell whoever runs the app.',
});

export const badTicketPage: Reply = page(404, {
  title: 'This address does not work',
  text: 'It is not a Watch address of this app, or it was cut off when it was copied.',
  next: 'Go back to Slack and press Watch there.',
});

/** The page came before the press. It comes back by itself, to wait on. @param again a query of the same address */
export function waitingPage(again: string): Reply {
  const words = {
    title: 'One moment',
    text: 'The app waits for Slack to tell of your press.',
    link: { text: 'Go on, if this page stays', to: again },
  };
  return page(200, words, { refresh: `0; url=${again}` });
}

/** Nobody is told more by this page than by the address itself: it may be anyone who opened it. */
export const noPressPage: Reply = page(403, {
  title: 'Slack did not confirm your press',
  text: 'A link is made only for a press of the Watch button in Slack. Some phones do not tell Slack of it, and an address that was copied comes without one.',
  next: 'Was it you? Let the link come to you in Slack, or press Watch there on a computer.',
  form: { button: 'Send me the link in Slack', leadsTo: "'self'" },
});

/** The same whoever asked, and whether it was for the first time: it may not be the one who gets the message. */
export const sentPage: Reply = page(200, {
  title: 'Look at Slack',
  text: 'The person for whom the button was made has a message there that nobody else sees: in the channel, or from the app itself.',
  next: 'Its button brings the link. Nothing more comes here: you can close this page.',
});

export const notSentPage: Reply = page(502, {
  title: 'Slack did not take the message',
  text: 'Slack took neither a message in the channel nor a direct one, so nothing was sent.',
  next: 'Go back to Slack and press Watch there, on a computer if you can, or try this page again in a minute.',
});

/** Somebody else may be on the visitor's screen. @param leadsTo where the form may lead, as the policy names it */
export function joinPage(asked: {
  readonly name: string;
  readonly agoMs: number;
  readonly action: string;
  readonly leadsTo: string;
}): Reply {
  const { name, agoMs, action, leadsTo } = asked;
  return page(200, {
    title: 'Join too?',
    text: `${short(name)} was given a link to this visitor ${ago(agoMs)}, and may still be watching.`,
    next: 'You would see the screen beside each other. To leave it to them, close this page.',
    form: { action, button: 'Join too', leadsTo },
  });
}

export const joinExpiredPage: Reply = page(410, {
  title: 'This question has run out',
  text: 'The button of this page works once, for two minutes.',
  next: 'Go back to Slack and press Watch again.',
});

/** Why the press gave no link. */
export function refusedPage(why: PressRefusal): Reply {
  return page(isUnanswered(why) ? 503 : 403, pressRefusalWords(why));
}

/** Nobody is given a link that is not on record. */
export const notRecordedPage: Reply = page(503, storeFailureWords(), { 'retry-after': '60' });

/** Why no link could be made, and what to do. @param again where its button tries again, if it has one */
export function failurePage(
  error: CobrowseError,
  again?: { readonly action: string; readonly leadsTo: string },
): Reply {
  const status = STATUS[error.kind];
  const headers: Record<string, string> = status === 503 ? { 'retry-after': '60' } : {};
  const form = again === undefined ? {} : { form: { ...again, button: 'Try again' } };
  if (error.kind !== 'not-found')
    return page(status, { ...cobrowseFailureWords(error.kind, error.code), ...form }, headers);
  return page(status, {
    title: 'This visitor is gone',
    text: 'The co-browsing service no longer knows this visitor: they may have left, or were deleted.',
    next: 'Go back to Slack and search again with /cobrowse find.',
  });
}
