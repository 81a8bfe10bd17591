import type { Session } from '../cobrowse/schemas.ts';
import type { Power } from '../grants/power.ts';
import { cutWords } from './cut-words.ts';
import type { Shared } from './cut-words.ts';
import { troubleWords } from './delivery-words.ts';
import type { Trouble } from './delivery-words.ts';
import { heading, lines, message, rule } from './message.ts';
import type { Message, Part } from './message.ts';
import { powerWords } from './power-words.ts';
import { bold, channel, date, link, user } from './rich-text.ts';
import type { Line, Piece } from './rich-text.ts';
import { short } from './text.ts';
import { agentNames, featuresInWords, feedbackInWords, lengthOf, recordingUrl } from './session-words.ts';

/** What a summary is made of, beside the session itself. */
export interface SummaryContent {
  readonly session: Session;
  /** The visitor's name, or its id where it could not be looked up. */
  readonly visitor: string;
  /**
   * Whether personal details are left out, since people of other organisations read along: recording, feedback, emails,
   * and what somebody typed.
   */
  readonly isCut: Shared;
  /** The Slack user who pressed Watch. */
  readonly watchedBy: string;
  /** What the link granted. */
  readonly power: Power;
  /** The Slack user who stopped the session from Slack, if one did, and why. */
  readonly stoppedBy: { readonly userId: string; readonly reason?: string | undefined } | undefined;
  /** Whether the end was found by asking. */
  readonly recovered?: boolean;
}

const TITLE = 'Co-browsing session ended';

function line(label: string, ...pieces: readonly Piece[]): Line {
  return [bold(`${label}: `), ...pieces];
}

/** Who, how long, what was used. */
function mainFacts({ session, visitor, isCut, watchedBy }: SummaryContent): readonly Line[] {
  // An agent without a name goes by their email.
  const names = agentNames(session).filter((name) => !isCut || !name.includes('@'));
  const length = lengthOf(session);
  const features = featuresInWords(session);
  return [
    line('Visitor', short(visitor)),
    line(
      names.length > 1 ? 'Agents' : 'Agent',
      ...(names.length === 0 ? [user(watchedBy)] : [names.join(', ')]),
    ),
    ...(length === undefined ? [] : [line('Duration', length)]),
    line('Used', features === '' ? 'nothing but watching' : features),
  ];
}

/** Everything else there is to tell. */
function furtherFacts({ session, isCut, power, stoppedBy }: SummaryContent): readonly Line[] {
  const recording = isCut ? undefined : recordingUrl(session);
  const reason = isCut ? undefined : stoppedBy?.reason;
  const feedback = isCut ? [] : feedbackInWords(session);
  const started = new Date(session.started_at ?? Number.NaN);
  return [
    ...(Number.isNaN(started.getTime()) ? [] : [line('Started', date(started))]),
    line('Granted', powerWords(power)),
    ...(stoppedBy === undefined ? [] : [line('Stopped by', user(stoppedBy.userId))]),
    ...(reason === undefined ? [] : [line('Reason', short(reason, 300))]),
    ...(session.on_premise === true ? [line('Where', 'on-premise')] : []),
    ...(recording === undefined ? [] : [line('Recording', link(recording, 'open the recording'))]),
    ...feedback.map((one) => line('Feedback', one)),
  ];
}

/** How it was found, and why there is no more of it. */
function aboutIt({ recovered, isCut }: SummaryContent): readonly Line[] {
  const found =
    recovered === true ? [['The service did not tell of the end; this was found by asking.']] : [];
  return [...found, ...cutWords(isCut)];
}

function summaryParts(content: SummaryContent): readonly Part[] {
  return [heading(TITLE), lines(...mainFacts(content), ...furtherFacts(content), ...aboutIt(content))];
}

/** The whole summary of an ended session, where there is no card to become one. */
export function summary(content: SummaryContent): Message {
  return message(...summaryParts(content));
}

/** What a card becomes; the rest goes into its thread as {@link summaryDetail}. */
export function shortSummary(content: SummaryContent): Message {
  return message(heading(TITLE), lines(...mainFacts(content), ...aboutIt(content)));
}

export function summaryDetail(content: SummaryContent): Message {
  return message(lines(...furtherFacts(content)));
}

/** The agent's direct message with a summary that its channel did not take. */
export function undeliveredSummary(
  content: SummaryContent,
  channelId: string | undefined,
  trouble: Trouble,
): Message {
  const where: Line = channelId === undefined ? ['its channel'] : [channel(channelId)];
  return message(
    lines(['This summary could not be posted in ', ...where, '.'], troubleWords(trouble, true)),
    rule,
    ...summaryParts(content),
  );
}
