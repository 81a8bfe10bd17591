import type { KnownBlock } from '@slack/types';
import { context, heading, lines, message, type Message } from '../messages/message.ts';
import { bold, count, duration, short, type Line } from '../messages/text.ts';
import { featureInWords, notAccepted, outcomeWords } from '../messages/session-words.ts';
import type { Picture } from './charts.ts';
import { MOST_NAMED, type Digest } from './digest-numbers.ts';
import { zoneInWords } from './messages.ts';

/** Slack's limit is 2,000. */
const LONGEST_ALT_TEXT = 1_900;

/** In the digest's own time zone: in the reader's, its days would start at another hour. */
function moment(at: number, zone: string): string {
  return new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    hour: 'numeric',
    minute: '2-digit',
  }).format(at);
}

/** "a (2 sessions), b (1 session) and 3 more". */
function list(counted: readonly (readonly [string, number])[]): string {
  const named = counted.slice(0, MOST_NAMED).map(([name, own]) => `${name} (${count(own, 'session')})`);
  const rest = counted.length - named.length;
  return rest > 0 ? `${named.join(', ')} and ${rest} more` : named.join(', ');
}

/** "2 solved, 1 follow up, 4 not set". Empty if no session has an outcome. */
function outcomesLine({ sessions, outcomes }: Digest): readonly Line[] {
  if (outcomes.length === 0) return [];
  const named = outcomes.map(
    ({ name, sessions: own }) => `${own.toLocaleString('en-US')} ${outcomeWords(name).toLowerCase()}`,
  );
  const rest = sessions - outcomes.reduce((sum, { sessions: own }) => sum + own, 0);
  const all = rest > 0 ? [...named, `${rest.toLocaleString('en-US')} not set`] : named;
  return [[bold('Outcomes: '), all.join(', ')]];
}

function numbers(digest: Digest): readonly Line[] {
  const { sessions, notAccepted: others, seconds, agents, features } = digest;
  const people = agents.map(({ name, sessions: own }) => [short(name, 60) || 'someone', own] as const);
  const used = features.map(({ name, sessions: own }) => [featureInWords(name), own] as const);
  return [
    [bold('Sessions: '), sessions.toLocaleString('en-US')],
    [bold('Time in sessions: '), duration(seconds)],
    [bold('Agents: '), list(people)],
    used.length === 0 ? ['No tools used'] : [bold('Tools used: '), list(used)],
    ...outcomesLine(digest),
    ...notAccepted(others),
  ];
}

/** The digest of a day or week. All of it is in words; the picture repeats it. */
export function digestMessage(digest: Digest, picture: Picture | undefined): Message {
  const { from, to, zone, isWeekly, sessions, notAccepted: others } = digest;
  const span = `${moment(from, zone)} to ${moment(to, zone)} ${zoneInWords(zone)}`;
  const title = `${isWeekly ? 'Weekly' : 'Daily'} co-browsing digest`;
  if (sessions === 0)
    return message(
      heading(title),
      context(span),
      lines(['No co-browsing sessions ended.'], ...notAccepted(others)),
    );
  const words = message(heading(title), context(span), lines(...numbers(digest)));
  if (picture === undefined) return words;
  const { url, altText } = picture;
  const image: KnownBlock = {
    type: 'image',
    image_url: url,
    alt_text: altText.slice(0, LONGEST_ALT_TEXT),
  };
  return { ...words, blocks: [...words.blocks, image] };
}
