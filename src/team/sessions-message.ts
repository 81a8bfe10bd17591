import { wasAccepted } from '../cobrowse/schemas.ts';
import type { RecordColumns } from '../commands/record-file.ts';
import { filterWords } from '../commands/record-filter.ts';
import { localTime } from '../messages/days.ts';
import { notice, type Message } from '../messages/message.ts';
import { agentNames, featureInWords, lengthInWords, outcomeWords } from '../messages/session-words.ts';
import {
  bold,
  code,
  date,
  duration,
  given,
  joined,
  link,
  short,
  where,
  who,
  type Line,
  type Maybe,
} from '../messages/text.ts';
import type { Columns } from '../messages/table.ts';
import type { Shared } from '../messages/visitor-pieces.ts';
import { linkEndedAt, type SessionEnd } from '../sessions/session-ends.ts';
import type { SessionFilter } from './session-search.ts';

export interface SeenSession {
  readonly end: SessionEnd;
  /** Whether personal details are left out because people from other organizations can read them. */
  readonly isCut: Shared;
  /** The channel of its summary, by the id it has now; undefined if there's no summary, or in direct messages. */
  readonly channelId: string | undefined;
  /** The address of its summary, where it's known and the reader may open it. */
  readonly summaryUrl: string | undefined;
}

export interface ShownSession extends SeenSession {
  /** The visitor's name, or the id where details are left out. */
  readonly visitor: string;
}

/** An agent without a name goes by their email. */
const agentsOf = ({ end: { session }, isCut }: SeenSession): readonly string[] =>
  agentNames(session).filter((name) => isCut === false || !name.includes('@'));

const recordingOf = ({ end, isCut }: SeenSession) => (isCut === false ? end.session.video_url : undefined);

const isNotAccepted = ({ session }: SessionEnd) => wasAccepted(session) === false;

function lengthOf(end: SessionEnd): string {
  if (isNotAccepted(end)) return 'didn’t accept';
  const known = lengthInWords(end.session);
  return known ?? (end.seconds === undefined ? 'length unknown' : duration(end.seconds));
}

function dotted(facts: readonly Maybe<Line>[]): Line {
  const known = given(facts).filter(({ length }) => length > 0);
  return joined(known, ' · ');
}

const customerOf = ({ visitor }: ShownSession) => short(visitor, 60) || 'A customer';

function agentOf(shown: ShownSession): Line {
  const agents = agentsOf(shown);
  return [agents.length === 0 ? who(shown.end.link.userId) : agents.join(', ')];
}

const outcomeOf = ({ end: { outcome } }: ShownSession) => outcome && outcomeWords(outcome.outcome);

function linksOf(shown: ShownSession): readonly Maybe<Line>[] {
  const { end, isCut, summaryUrl } = shown;
  const { ticketUrl } = end.link;
  const recording = recordingOf(shown);
  return [
    ticketUrl !== undefined && isCut === false && [link(ticketUrl, 'Ticket')],
    recording !== undefined && [link(recording, 'Recording')],
    summaryUrl !== undefined && [link(summaryUrl, 'Summary')],
  ];
}

export function sessionLine(shown: ShownSession): Line {
  const { end, channelId } = shown;
  const outcome = outcomeOf(shown);
  return dotted([
    [date(new Date(linkEndedAt(end)))],
    [bold(customerOf(shown))],
    agentOf(shown),
    channelId !== undefined && ['in ', where(channelId)],
    [lengthOf(end)],
    outcome !== undefined && [outcome],
    ...linksOf(shown),
  ]);
}

export const shownColumns = (zone: string): Columns<ShownSession> => ({
  heads: [`Ended (${zone})`, 'Customer', 'Agent', 'Channel', 'Length', 'Outcome', 'Links'],
  cells: (shown) => [
    localTime(linkEndedAt(shown.end), zone).slice(0, 16),
    customerOf(shown),
    agentOf(shown),
    shown.channelId === undefined ? '' : [where(shown.channelId)],
    { value: isNotAccepted(shown.end) ? 0 : (shown.end.seconds ?? 0), text: lengthOf(shown.end) },
    outcomeOf(shown) ?? '',
    dotted(linksOf(shown)),
  ],
});

export const wordOf = (word: SessionFilter['words'][number]) =>
  word === 'none' ? 'without outcome' : outcomeWords(word);

export function noSessions(filter: SessionFilter, seesAll: boolean): Message {
  return notice(
    ['No sessions', ...filterWords(filter, wordOf), '.'],
    [
      seesAll
        ? 'Sessions are kept for as long as your admin has set.'
        : 'You see your own sessions, and those with a summary in this channel. For another channel you’re in, add its name.',
    ],
    ['Try fewer filters, or ', code('/cobrowse help sessions'), '.'],
  );
}

export interface FiledSession extends SeenSession {
  /** What Slack calls who pressed Watch; undefined if it doesn't say. */
  readonly person: string | undefined;
  readonly channel: string | undefined;
  /** Only where an admin allows names in files. */
  readonly customer: { readonly name: string; readonly email: string | undefined } | undefined;
}

type Cell = string | number | boolean | undefined;

type Field = readonly [head: string, name: string, of: (filed: FiledSession) => Cell];

const startedAt = ({ session }: SessionEnd): number => Date.parse(session.started_at ?? '');
const written = (at: number): string | undefined =>
  Number.isNaN(at) ? undefined : new Date(at).toISOString();

const WHO_IT_WAS: readonly Field[] = [
  ['Customer', 'customer', ({ customer }) => customer?.name],
  ['Email', 'email', ({ customer }) => customer?.email],
];

const FIELDS: readonly Field[] = [
  ['Agents', 'agents', (seen) => agentsOf(seen).join(', ') || undefined],
  ['Person', 'person', ({ person }) => person],
  ['Person ID', 'userId', ({ end }) => end.link.userId],
  ['Channel', 'channel', ({ channel }) => channel],
  ['Channel ID', 'channelId', ({ channelId }) => channelId],
  ['Seconds', 'seconds', ({ end }) => (isNotAccepted(end) ? undefined : end.seconds)],
  ['Accepted', 'accepted', ({ end }) => wasAccepted(end.session)],
  ['Outcome', 'outcome', ({ end }) => end.outcome?.outcome],
  ['Ticket', 'ticket', ({ end, isCut }) => (isCut === false ? end.link.ticketUrl : undefined)],
  ['Access', 'access', ({ end }) => end.link.access],
  ['Tools', 'tools', ({ end }) => end.session.features_used.map(featureInWords).join(', ') || undefined],
  ['Recording', 'recording', recordingOf],
  ['Summary', 'summary', ({ summaryUrl }) => summaryUrl],
];

/** How the file has a session. @param zone whose clocks a spreadsheet has; for programs times are UTC's */
export function sessionColumns(zone: string, hasNames: boolean): RecordColumns<FiledSession> {
  const fields: readonly Field[] = [
    ['Visitor', 'visitorId', ({ end }) => end.link.visitorId],
    ...(hasNames ? WHO_IT_WAS : []),
    ...FIELDS,
  ];
  const local = (at: number) => (Number.isNaN(at) ? '' : localTime(at, zone));
  return {
    heads: [`Started (${zone})`, `Ended (${zone})`, ...fields.map(([head]) => head)],
    cells: (seen) => [
      local(startedAt(seen.end)),
      local(linkEndedAt(seen.end)),
      ...fields.map(([, , of]) => String(of(seen) ?? '')),
    ],
    fields: (seen) => ({
      startedAt: written(startedAt(seen.end)),
      endedAt: written(linkEndedAt(seen.end)),
      ...Object.fromEntries(fields.map(([, name, of]) => [name, of(seen)])),
    }),
  };
}
