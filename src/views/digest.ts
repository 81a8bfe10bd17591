import type { KnownBlock } from '@slack/types';
import type { Digest } from '../grants/digest.ts';
import { heading, lines, message } from './message.ts';
import type { Message } from './message.ts';
import { bold } from './rich-text.ts';
import type { Line } from './rich-text.ts';
import { featureInWords } from './session-words.ts';
import { count, duration, short } from './text.ts';

/** Slack's limit is 2,000. */
const LONGEST_ALT_TEXT = 1_900;
const MOST_NAMED = 10;

/** A picture for an image block. */
interface Picture {
  readonly url: string;
  readonly altText: string;
}

/** The clocks of the zone that the digest is by: a reader's own would cut its days elsewhere. */
function moment(at: number, zone: string): string {
  return new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).format(at);
}

/** "a (2 sessions), b (1 session) and 3 more". */
function list(counted: readonly (readonly [string, number])[]): string {
  const named = counted.slice(0, MOST_NAMED).map(([name, own]) => `${name} (${count(own, 'session')})`);
  const rest = counted.length - named.length;
  return rest > 0 ? `${named.join(', ')} and ${rest} more` : named.join(', ');
}

function numbers({ sessions, seconds, agents, features }: Digest): readonly Line[] {
  const people = agents.map(({ name, sessions: own }) => [short(name, 60) || 'somebody', own] as const);
  const used = features.map(({ name, sessions: own }) => [featureInWords(name), own] as const);
  return [
    [bold('Sessions: '), sessions.toLocaleString('en-US')],
    [bold('Time in sessions: '), duration(seconds)],
    [bold('Agents: '), list(people)],
    [bold('Used: '), used.length === 0 ? 'nothing but watching' : list(used)],
  ];
}

/** The digest of a day or week, all of it in words; the picture only shows it once more. */
export function digestMessage(digest: Digest, picture: Picture | undefined): Message {
  const { from, to, zone, isWeekly, sessions } = digest;
  const span = `From ${moment(from, zone)} to ${moment(to, zone)} (${short(zone, 60)})`;
  const title = `Co-browsing, the last ${isWeekly ? 'week' : 'day'}`;
  if (sessions === 0) return message(heading(title), lines([`${span} no co-browsing session ended.`]));
  const words = message(heading(title), lines([`${span}:`], ...numbers(digest)));
  if (picture === undefined) return words;
  const { url, altText } = picture;
  const image: KnownBlock = {
    type: 'image',
    image_url: url,
    alt_text: altText.slice(0, LONGEST_ALT_TEXT),
  };
  return { ...words, blocks: [...words.blocks, image] };
}
