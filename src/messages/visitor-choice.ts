import type { CobrowseError } from '../cobrowse/errors.ts';
import type { Visitor } from '../cobrowse/schemas.ts';
import { cobrowseFailureWords } from './failure-words.ts';
import { LIMITS, short } from './text.ts';
import { PRESENCE_UNKNOWN, isAsked, visitorName, visitorState } from './visitor-pieces.ts';
import type { Partner } from './visitor-pieces.ts';

/** What a visitor in a session is doing: whether they accepted may not be known. */
function inSession(isOnlyAsked: boolean | undefined): string {
  if (isOnlyAsked === undefined) return 'asked or in session';
  return isOnlyAsked ? 'asked' : 'in session';
}

function choice(visitor: Visitor, isOnlyAsked: boolean | undefined) {
  const name = visitorName(visitor);
  const email = short(visitor.email ?? '', 40);
  const words =
    visitor.is_in_session === true ? inSession(isOnlyAsked) : visitorState(visitor).words.toLowerCase();
  const state = words === PRESENCE_UNKNOWN.toLowerCase() ? '' : ` (${words})`;
  const who = email === '' || email === name ? name : `${short(name, 30)}, ${email}`;
  return { text: `${short(who, LIMITS.optionText - state.length)}${state}`, value: visitor.short_id };
}

/** A visitor as an option of a select: name, email, and presence if known. */
export const visitorChoice = (visitor: Visitor) =>
  choice(visitor, visitor.sessions.length === 0 ? undefined : isAsked(visitor));

/** The same below a list, which says of those in a session what it knows of who is with them. */
export const listedChoice = (visitor: Visitor, partner: Partner | undefined) =>
  choice(visitor, partner?.isAsking ?? isAsked(visitor));

/** The value of a choice that only says something: no visitor's id can be a slash. */
export const NOBODY = '/';

/** Words in a list of choices, where Slack has no other place for them. */
const words = (text: string) => ({ text: short(text, LIMITS.optionText), value: NOBODY });

/** When the service takes longer than Slack waits for choices. */
export const stillSearchingChoice = words('Still searching… Type another letter to ask again.');

/** Instead of a search for a watch link: nobody else must learn it. */
export const watchLinkChoice = words('That looks like a watch link, so I didn’t search for it.');

/** @param failure what the service answered; undefined if something else went wrong */
export const failedSearchChoice = (failure: Pick<CobrowseError, 'kind' | 'code'> | undefined) =>
  words(
    failure === undefined
      ? 'Something went wrong in the app. Try again in a minute.'
      : cobrowseFailureWords(failure.kind, failure.code).text,
  );
