import type { Session } from '../cobrowse/schemas.ts';
import type { Power } from '../grants/power.ts';
import { buttons, heading, lines, message, rule } from './message.ts';
import type { Message, Part } from './message.ts';
import { powerWords } from './power-words.ts';
import { bold, channel, code, date, link, user } from './rich-text.ts';
import type { Line, Piece } from './rich-text.ts';
import { short } from './text.ts';
import { agentNames, featuresInWords, feedbackInWords, lengthOf, recordingUrl } from './session-words.ts';
import { stopButtonFor } from './visitor-buttons.ts';

/** What a summary is made of, beside the session itself. */
export interface SummaryContent {
  readonly session: Session;
  /** The visitor's name, or its id where it could not be looked up. */
  readonly visitor: string;
  /** The Slack user who pressed Watch. */
  readonly watchedBy: string;
  /** What the link granted. */
  readonly power: Power;
  /** The Slack user who stopped the session from Slack, if one did. */
  readonly stoppedBy: string | undefined;
}

const TITLE = 'Co-browsing session ended';

function line(label: string, ...pieces: readonly Piece[]): Line {
  return [bold(`${label}: `), ...pieces];
}

/** Who, how long, what was used. */
function mainFacts({ session, visitor, watchedBy }: SummaryContent): readonly Line[] {
  const names = agentNames(session);
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
function furtherFacts({ session, power, stoppedBy }: SummaryContent): readonly Line[] {
  const recording = recordingUrl(session);
  const started = new Date(session.started_at ?? Number.NaN);
  return [
    ...(Number.isNaN(started.getTime()) ? [] : [line('Started', date(started))]),
    line('Granted', powerWords(power)),
    ...(stoppedBy === undefined ? [] : [line('Stopped by', user(stoppedBy))]),
    ...(session.on_premise === true ? [line('Where', 'on-premise')] : []),
    ...(recording === undefined ? [] : [line('Recording', link(recording, 'open the recording'))]),
    ...feedbackInWords(session).map((feedback) => line('Feedback', feedback)),
  ];
}

function summaryParts(content: SummaryContent): readonly Part[] {
  return [heading(TITLE), lines(...mainFacts(content), ...furtherFacts(content))];
}

/** The whole summary of an ended session, where there is no card to become one. */
export function summary(content: SummaryContent): Message {
  return message(...summaryParts(content));
}

/** What a card becomes; the rest goes into its thread as {@link summaryDetail}. */
export function shortSummary(content: SummaryContent): Message {
  return message(heading(TITLE), lines(...mainFacts(content)));
}

export function summaryDetail(content: SummaryContent): Message {
  return message(lines(...furtherFacts(content)));
}

/** What the channel is told when a link was given. The service tells of no start: an honest state, and no more. */
export interface CardContent {
  readonly agent: string;
  readonly visitor: string;
  readonly visitorId: string;
  readonly power: Power;
  readonly canStop: boolean;
  /** False where the service tells of no end: then no summary is promised. */
  readonly becomesSummary: boolean;
}

export function linkCard(content: CardContent): Message {
  const { agent, visitor, visitorId, power, canStop, becomesSummary } = content;
  const name = short(visitor);
  const promise = becomesSummary ? ' The summary takes this message’s place when the session ends.' : '';
  const told = lines(
    [bold(short(agent)), ' was given a link to the screen of ', bold(name), '.'],
    [`Granted: ${powerWords(power)}.${promise}`],
  );
  return canStop ? message(told, buttons(stopButtonFor(visitorId, name, 'Stop session'))) : message(told);
}

/** Why a summary could not be posted, by Slack's code, with what to do. */
function whyNotPosted(reason: string): Line {
  switch (reason) {
    case 'channel_not_found':
    case 'not_in_channel':
      return [
        'The app is not in that channel. Type ',
        code('/invite @Co-browse'),
        ' there, and the next summary will arrive.',
      ];
    case 'is_archived':
      return ['That channel is archived. Press Watch from another channel, or unarchive it.'];
    case 'restricted_action':
      return ['Posting in that channel is restricted. Ask a workspace admin to let the app post there.'];
    default:
      return ['Slack answered ', code(short(reason, 80)), '. Show this to whoever runs the app.'];
  }
}

/** The agent's direct message with a summary that its channel did not take. */
export function undeliveredSummary(
  content: SummaryContent,
  channelId: string | undefined,
  reason: string,
): Message {
  const where: Line = channelId === undefined ? ['its channel'] : [channel(channelId)];
  return message(
    lines(['This summary could not be posted in ', ...where, '.'], whyNotPosted(reason)),
    rule,
    ...summaryParts(content),
  );
}
