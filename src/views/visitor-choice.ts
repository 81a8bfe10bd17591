import type { Visitor } from '../cobrowse/schemas.ts';
import { LIMITS, short } from './text.ts';
import { visitorName } from './visitor-pieces.ts';

/** A visitor as one option of a select: name, email, whether online. */
export function visitorChoice(visitor: Visitor): { readonly text: string; readonly value: string } {
  const name = visitorName(visitor);
  const email = short(visitor.email ?? '', 40);
  const presence = visitor.is_online === true ? 'online' : 'offline';
  const who = email === '' || email === name ? name : `${short(name, 30)}, ${email}`;
  return { text: short(`${short(who, 60)} (${presence})`, LIMITS.optionText), value: visitor.short_id };
}
