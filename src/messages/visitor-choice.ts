import type { CobrowseError } from '../cobrowse/errors.ts';
import type { Visitor } from '../cobrowse/schemas.ts';
import { cobrowseFailureWords } from './failure-words.ts';
import { LIMITS, short } from './text.ts';
import { PRESENCE_UNKNOWN, visitorName, visitorState } from './visitor-pieces.ts';

/** A visitor as an option of a select: name, email, and presence if known. */
export function visitorChoice(visitor: Visitor): { readonly text: string; readonly value: string } {
  const name = visitorName(visitor);
  const email = short(visitor.email ?? '', 40);
  const { words } = visitorState(visitor);
  const state = words === PRESENCE_UNKNOWN ? '' : ` (${words.toLowerCase()})`;
  const who = email === '' || email === name ? name : `${short(name, 30)}, ${email}`;
  return { text: `${short(who, LIMITS.optionText - state.length)}${state}`, value: visitor.short_id };
}

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
