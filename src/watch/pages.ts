import { page } from '../http/page.ts';
import type { Reply } from '../http/routes.ts';
import type { CobrowseError, CobrowseErrorKind } from '../cobrowse/errors.ts';
import { cobrowseFailureWords } from '../views/failure-words.ts';

const STATUS: Readonly<Record<CobrowseErrorKind, number>> = {
  'not-found': 404,
  'limit-reached': 402,
  'visitor-online': 409,
  'not-authorized': 402,
  'refused-key': 502,
  busy: 503,
  unreachable: 502,
  'timed-out': 504,
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

export const badTicketPage: Reply = page(404, {
  title: 'This address does not work',
  text: 'It is not a Watch address of this app, or it was cut off when it was copied.',
  next: 'Go back to Slack and press Watch there.',
});

/** Why no link could be made, and what to do. */
export function failurePage(error: CobrowseError): Reply {
  const status = STATUS[error.kind];
  const headers: Record<string, string> = status === 503 ? { 'retry-after': '60' } : {};
  if (error.kind !== 'not-found') return page(status, cobrowseFailureWords(error.kind, error.code), headers);
  return page(status, {
    title: 'This visitor is gone',
    text: 'The co-browsing service no longer knows this visitor: they may have left, or were deleted.',
    next: 'Go back to Slack and search again with /cobrowse find.',
  });
}
