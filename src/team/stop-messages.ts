import type { Visitor } from '../cobrowse/schemas.ts';
import { STOP_FORM } from '../messages/action-ids.ts';
import { textField } from '../commands/inputs.ts';
import {
  buttons,
  done,
  lines,
  message,
  notice,
  points,
  refusal,
  type Message,
  type Part,
} from '../messages/message.ts';
import type { FormContent } from '../messages/modal.ts';
import { bold, code, date, short, user, type Line } from '../messages/text.ts';
import {
  isAsked,
  stopButton,
  visitorName,
  visitorState,
  whoLine,
  type SessionPartners,
} from '../messages/visitor-pieces.ts';

/** Room for a sentence or two, not for an essay. */
export const LONGEST_REASON = 300;
const MOST_NAMED = 5;

/** A link that somebody opened and whose session may still be running. */
export interface LinkHolder {
  readonly userId: string;
  readonly at: Date;
}

function sessionState(visitor: Visitor, partners: SessionPartners): string {
  if (visitor.is_in_session !== true) return 'May be in a session';
  return visitorState(visitor, partners.get(visitor.short_id)).words;
}

/** Asks which session: each visitor's button leads to the form that asks before it stops. */
export function stopChoice(visitors: readonly Visitor[], partners: SessionPartners = new Map()): Message {
  const rows = visitors.flatMap((visitor): Part[] => [
    lines([...whoLine(visitor), ' · ', sessionState(visitor, partners)]),
    buttons(stopButton(visitor, 'Stop session')),
  ]);
  return message(...rows);
}

/** No button for who isn't in a session. @param text what found them */
export function nobodyInSession(visitors: readonly Visitor[], text: string): Message {
  const [only] = visitors;
  if (only !== undefined && visitors.length === 1)
    return notice([...whoLine(only), ' isn’t in a session right now.']);
  return message(
    lines(['Nobody matching ', bold(short(text)), ' is in a session right now. These match:']),
    points(...visitors.map(whoLine)),
  );
}

export const stopNotOffered: Message = refusal(
  ['On-premise can’t stop sessions from here.'],
  ['Ask whoever is watching to end it. The customer can, too.'],
);

/** For somebody who can stop sessions but not see customers, so nothing sends them to a search. */
export function noVisitorWithId(id: string): Message {
  return notice(
    ['No visitor has the ID ', code(short(id, 60)), '.'],
    ['Type the full ID, or press ', bold('Stop session'), ' on the card in the channel.'],
    ['To search, you need permission to see customers.'],
  );
}

const nameOf = (visitor: Visitor | string): string =>
  typeof visitor === 'string' ? `visitor ${short(visitor, 60)}` : visitorName(visitor);

const isOnlyAsked = (visitor: Visitor | string) => typeof visitor !== 'string' && isAsked(visitor);

interface StopQuestion {
  /** The visitor, or its id where it could not be looked up. */
  readonly visitor: Visitor | string;
  readonly askedBy: string;
  readonly links: readonly LinkHolder[];
}

/** Whose session or request ends: each person once, with the latest of their links. */
function watching({ visitor, askedBy, links }: StopQuestion): readonly Line[] {
  const latest = [...new Map(links.toReversed().map((link) => [link.userId, link])).values()].toReversed();
  return latest
    .slice(0, MOST_NAMED)
    .map(({ userId, at }): Line =>
      userId === askedBy || isOnlyAsked(visitor)
        ? [userId === askedBy ? 'You' : user(userId), ' asked to see this screen: ', date(at), '.']
        : ['This ends ', user(userId), '’s session. Asked: ', date(at), '.'],
    );
}

/** What a stop does. Even where no session is known, one may have just started. */
function effect(visitor: Visitor | string): Line {
  const name = bold(nameOf(visitor));
  if (isOnlyAsked(visitor))
    return [name, ' hasn’t accepted yet. This takes back every request to see the screen.'];
  return typeof visitor !== 'string' && visitor.is_in_session === false
    ? [
        name,
        ' isn’t in a session right now. If one starts before you press, this ends it for everyone in it.',
      ]
    : ['This ends the co-browsing session with ', name, ' for everyone in it.'];
}

/** Asks before a session is stopped: whose it is, and for what reason. */
export function stopForm(question: StopQuestion): FormContent {
  const words = message(lines(effect(question.visitor), ...watching(question)));
  return {
    submit: 'Stop session',
    blocks: [
      ...words.blocks,
      textField({
        block: STOP_FORM.reasonBlock,
        actionId: STOP_FORM.reason,
        optional: true,
        label: 'Reason',
        hint: 'Posted with your name in the summary’s thread.',
        most: LONGEST_REASON,
      }),
    ],
  };
}

const REASON_NOT_POSTED = {
  unseen: 'Your reason wasn’t posted: I couldn’t see which session this ended.',
  unsaved: 'Your reason won’t be posted: I couldn’t save it.',
} as const;

/**
 * The result of a stop.
 *
 * @param visitor as it was before it, or its id where it could not be looked up
 * @param notPosted why a reason that was given goes with no summary
 */
export function stopped(
  visitor: Visitor | string,
  stoppedBy: string,
  notPosted?: keyof typeof REASON_NOT_POSTED,
): Message {
  const name = bold(nameOf(visitor));
  const wasInSession = typeof visitor === 'string' ? undefined : visitor.is_in_session;
  const addition = notPosted && [REASON_NOT_POSTED[notPosted]];
  if (isOnlyAsked(visitor))
    return done(['The request to see ', name, '’s screen was stopped by ', user(stoppedBy), '.'], addition);
  if (wasInSession === true)
    return done(['The session with ', name, ' was stopped by ', user(stoppedBy), '.'], addition);
  if (wasInSession === false)
    return notice([name, ' wasn’t in a session, so there was nothing to stop.'], addition);
  return done(
    ['I asked the service to stop any session with ', name, '. It doesn’t say whether one was running.'],
    addition,
  );
}
