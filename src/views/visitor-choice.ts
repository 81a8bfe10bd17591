import type { Visitor } from '../cobrowse/schemas.ts';
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
