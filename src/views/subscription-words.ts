import type { Schedule } from '../grants/schedule.ts';
import type { Filters, Subscription, SummaryForm } from '../grants/subscription.ts';
import { channel, code, user } from './rich-text.ts';
import type { Line, Piece } from './rich-text.ts';
import { duration, short } from './text.ts';
import { weekdayName } from './weekdays.ts';

/** "a, b or c". */
function anyOf(pieces: readonly Piece[]): Line {
  return pieces.flatMap((piece, index) => {
    if (index === 0) return [piece];
    return [index === pieces.length - 1 ? ' or ' : ', ', piece];
  });
}

/** A group by its handle as plain text: a mention would call every member of it. */
function groupName({ id, handle }: Filters['groups'][number]): Piece {
  const name = short(handle ?? '', 60);
  return name === '' ? code(short(id, 40)) : `@${name}`;
}

/** Which sessions pass: "all sessions", or "sessions by @alex, of customers tagged vip, of 5 minutes or more". */
function filtersInWords({ agents, groups, tags, minSeconds }: Filters): Line {
  const people: Piece[] = [...agents.map(user), ...groups.map(groupName)];
  const conditions: Line[] = [
    ...(people.length === 0 ? [] : [[' by ', ...anyOf(people)]]),
    ...(tags.length === 0
      ? []
      : [[' of customers tagged ', ...anyOf(tags.map((tag) => code(short(tag, 60) || '?')))]]),
    ...(minSeconds === undefined ? [] : [[` of ${duration(minSeconds)} or more`]]),
  ];
  if (conditions.length === 0) return ['all co-browsing sessions'];
  return [
    'co-browsing sessions',
    ...conditions.flatMap((condition, index) => (index === 0 ? condition : [',', ...condition])),
  ];
}

function formInWords(form: SummaryForm): string {
  switch (form) {
    case 'full':
      return 'in full';
    case 'short':
      return 'in short';
    case 'thread':
      return 'in short, with the details in a thread';
  }
}

/** What a subscription is made of. */
export type Content = Pick<Subscription, 'filters' | 'form' | 'schedule'>;

/** "09:00 (Europe/Amsterdam)" of every day or week. */
function scheduleInWords({ weekday, hour, minute, zone }: Schedule): string {
  const time = [hour, minute].map((part) => String(part).padStart(2, '0')).join(':');
  const day = weekday === undefined ? 'every day' : `every ${weekdayName(weekday)}`;
  return `${day} at ${time} (${short(zone, 60)})`;
}

/** What a channel gets: "summaries of all sessions, in full", or a digest and when. */
export function contentInWords({ filters, form, schedule }: Content): Line {
  if (schedule !== undefined) return [`a digest of all co-browsing sessions, ${scheduleInWords(schedule)}`];
  return ['summaries of ', ...filtersInWords(filters), `, ${formInWords(form)}`];
}

/** A channel as a mention; a direct message with the app has no name. */
export function placeOf(channelId: string): Line {
  return channelId.startsWith('D') ? ['the direct messages with the app'] : [channel(channelId)];
}

const INVITE = code('/invite @Co-browse');

/** Why a channel takes no posts, by Slack's code. */
export function whyNoPosts(reason: string): Line {
  if (reason.startsWith('restricted_action')) return ['posting there is restricted'];
  switch (reason) {
    case 'channel_not_found':
    case 'not_in_channel':
      return ['the app is not in it'];
    case 'is_archived':
      return ['it is archived'];
    case 'channel_deleted':
      return ['it was deleted'];
    default:
      return ['Slack answered ', code(short(reason, 80))];
  }
}

/** What to do where a channel takes no posts, as a sentence. */
export function whatToDo(reason: string, channelId: string): Line {
  if (reason.startsWith('restricted_action')) return ['Ask a workspace admin to let the app post there.'];
  switch (reason) {
    case 'channel_not_found':
    case 'not_in_channel':
      return ['Type ', INVITE, ' in ', ...placeOf(channelId), '.'];
    case 'is_archived':
      return ['Unarchive it, or choose another channel.'];
    case 'channel_deleted':
      return ['Choose another channel.'];
    default:
      return ['Show this to whoever runs the app.'];
  }
}
