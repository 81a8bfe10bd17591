import type { Session } from '../cobrowse/schemas.ts';
import { heading, lines, message, rule } from './message.ts';
import type { Message, Part } from './message.ts';
import { bold, channel, code, date, link, user } from './rich-text.ts';
import type { Line, Piece } from './rich-text.ts';
import { short } from './text.ts';
import { agentNames, featuresInWords, feedbackInWords, lengthOf, recordingUrl } from './session-words.ts';

/** What a summary is made of, beside the session itself. */
export interface SummaryContent {
  readonly session: Session;
  /** The visitor's name, or its id where it could not be looked up. */
  readonly visitor: string;
  /** The Slack user who pressed Watch. */
  readonly watchedBy: string;
  /** The Slack user who stopped the session from Slack, if one did. */
  readonly stoppedBy: string | undefined;
}

function line(label: string, ...pieces: readonly Piece[]): Line {
  return [bold(`${label}: `), ...pieces];
}

function summaryParts({ session, visitor, watchedBy, stoppedBy }: SummaryContent): readonly Part[] {
  const names = agentNames(session);
  const length = lengthOf(session);
  const features = featuresInWords(session);
  const recording = recordingUrl(session);
  const started = new Date(session.started_at ?? Number.NaN);
  const facts: Line[] = [
    line('Visitor', short(visitor)),
    line(
      names.length > 1 ? 'Agents' : 'Agent',
      ...(names.length === 0 ? [user(watchedBy)] : [names.join(', ')]),
    ),
    ...(Number.isNaN(started.getTime()) ? [] : [line('Started', date(started))]),
    ...(length === undefined ? [] : [line('Duration', length)]),
    line('Used', features === '' ? 'nothing but watching' : features),
    ...(stoppedBy === undefined ? [] : [line('Stopped by', user(stoppedBy))]),
    ...(session.on_premise === true ? [line('Where', 'on-premise')] : []),
    ...(recording === undefined ? [] : [line('Recording', link(recording, 'open the recording'))]),
    ...feedbackInWords(session).map((feedback) => line('Feedback', feedback)),
  ];
  return [heading('Co-browsing session ended'), lines(...facts)];
}

/** The channel's summary of an ended session: who, how long, what was used. */
export function summary(content: SummaryContent): Message {
  return message(...summaryParts(content));
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
