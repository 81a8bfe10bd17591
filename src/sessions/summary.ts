import type { StaticSelect } from '@slack/types';
import { wasAccepted, type Session } from '../cobrowse/schemas.ts';
import {
  button,
  buttons,
  context,
  fields,
  heading,
  lines,
  message,
  rule,
  status,
  type Field,
  type FieldPiece,
  type Message,
  type Part,
} from '../messages/message.ts';
import { cutWords, withTicket, type RecordLink, type Shared } from '../messages/visitor-pieces.ts';
import { troubleWords, type Trouble } from '../messages/delivery-words.ts';
import {
  bold,
  briefly,
  channel,
  date,
  given,
  joined,
  LIMITS,
  link,
  plain,
  short,
  user,
  type Line,
  type Maybe,
  type Piece,
} from '../messages/text.ts';
import {
  accessTitle,
  agentNames,
  featuresInWords,
  lengthInWords,
  notAcceptedWords,
  outcomeValue,
  outcomeWords,
  SessionOutcome,
  ticketLine,
  type SetOutcome,
} from '../messages/session-words.ts';
import type { Access } from '../permissions/permissions.ts';

export interface SummaryContent {
  readonly endId: string;
  readonly session: Session;
  readonly visitorId: string;
  /** The name, or the id where that couldn't be looked up. */
  readonly visitor: string;
  /** Leaves out what people from other organizations mustn't read: recording, feedback, emails, and typed text. */
  readonly isCut: Shared;
  /** Slack user id, as in `stoppedBy`. */
  readonly watchedBy: string;
  readonly access: Access;
  readonly ticketUrl?: string;
  readonly stoppedBy: { readonly userId: string; readonly reason?: string } | undefined;
  readonly outcome: SetOutcome | undefined;
  readonly recovered?: boolean;
  readonly records?: readonly RecordLink[];
  /** Sessions that ran beside it because a colleague was asked; `url` is the summary's. */
  readonly beside?: readonly { readonly agents: string; readonly url: string }[];
}

/** A name that can't look like another fact of the title. */
const inTitle = (name: string) => short(name.replaceAll('·', '-'), 60);

function toldOf(content: SummaryContent) {
  const { session, visitor, isCut } = content;
  // An agent without a name goes by their email, which people of other organizations don't see.
  const names = agentNames(session).filter((name) => isCut === false || !name.includes('@'));
  const [first = '', second, ...others] = names;
  const agents = second === undefined ? first : `${first} and ${others.length === 0 ? second : 'others'}`;
  return {
    ...content,
    names,
    customerInTitle: inTitle(visitor),
    agentsInTitle: inTitle(agents),
    /** The customer never let the agent see the page. */
    isNotAccepted: wasAccepted(session) === false,
  };
}
type Told = ReturnType<typeof toldOf>;

/** "Jane Cooper with Alex Rivera · 6 min". */
function title({ session, isNotAccepted, ...told }: Told): Part {
  // A name may be nothing that shows.
  const who = told.customerInTitle || 'A customer';
  if (isNotAccepted) return heading(notAcceptedWords(who, session));
  const pair = told.agentsInTitle === '' ? who : `${who} with ${told.agentsInTitle}`;
  const length = lengthInWords(session, briefly);
  return heading(length === undefined ? pair : `${pair} · ${length}`);
}

function state({ session, access, watchedBy, agentsInTitle, isNotAccepted }: Told): Part {
  const started = new Date(session.started_at ?? Number.NaN);
  const isKnown = !Number.isNaN(started.getTime());
  const at = isKnown ? [date(started)] : [];
  const granted = accessTitle(access);
  if (isNotAccepted) {
    const asker = agentsInTitle || user(watchedBy);
    return context(asker, `asked to see the screen · ${granted}${isKnown ? ' · Asked:' : ''}`, ...at);
  }
  const tools = session.features_used.length === 0 ? ' · No tools used' : '';
  return context(`Co-browsing session ended · ${granted}${tools}${isKnown ? ' · Started:' : ''}`, ...at);
}

const field = (label: string, ...value: readonly FieldPiece[]): Field => ({ label, value });

function line(label: string, ...pieces: readonly Piece[]): Line {
  return [bold(`${label}: `), ...pieces];
}

function outcomeField({ outcome: set, isCut }: SummaryContent): Field | undefined {
  if (set === undefined) return undefined;
  const words = outcomeWords(set.outcome);
  return isCut === false ? field('Outcome', `${words}, set by `, user(set.by)) : field('Outcome', words);
}

function mainFacts(told: Told): readonly Maybe<Field>[] {
  const { session, visitor, watchedBy, names, isNotAccepted } = told;
  const customer = short(visitor);
  const isInTitle = names.length < 3 && names.join(' and ') === told.agentsInTitle;
  return [
    customer !== told.customerInTitle && field('Customer', customer),
    names.length === 0 && !isNotAccepted && field('Agent', user(watchedBy)),
    !isInTitle && field(names.length === 1 ? 'Agent' : 'Agents', names.join(', ')),
    !isNotAccepted && field('Tools used', featuresInWords(session)),
    outcomeField(told),
  ];
}

const furtherFields = ({ session, stoppedBy }: SummaryContent): readonly Field[] =>
  given([
    stoppedBy && field('Stopped by', user(stoppedBy.userId)),
    session.on_premise === true && field('Where', 'On-premise'),
  ]);

function recordsLine({ records = [] }: SummaryContent): Maybe<Line> {
  const links = records.map(({ name, url }) => link(url, name));
  return links.length > 0 && line('Records', ...joined(links, ' · '));
}

function furtherLines({ session, isCut, stoppedBy, isNotAccepted }: Told): readonly Line[] {
  if (isCut !== false) return [];
  const { video_url: recording } = session;
  const feedback = isNotAccepted ? [] : session.quality_feedback;
  return given([
    stoppedBy?.reason !== undefined && line('Reason', short(stoppedBy.reason, 300)),
    recording !== undefined && line('Recording', link(recording, 'open the recording')),
    ...feedback.map((one) => line('Feedback', short(one, 300))),
  ]);
}

/** "At the same time: Session with Sam Lee", which leads to its summary. */
const besideLines = ({ beside = [], isCut }: SummaryContent): readonly Line[] =>
  isCut === false
    ? beside.map(({ agents, url }) => line('At the same time', link(url, `Session with ${short(agents)}`)))
    : [];

function outcomeSelect({ endId, outcome }: SummaryContent): StaticSelect {
  return {
    type: 'static_select',
    action_id: 'outcome',
    placeholder: plain(outcome === undefined ? 'Outcome' : 'Change outcome'),
    options: SessionOutcome.options.map((choice) => ({
      text: plain(outcomeWords(choice)),
      value: outcomeValue(endId, choice),
    })),
  };
}

/** No button has an address: permissions are checked at the press. People from other organizations don't see notes. */
function nextSteps(told: Told): Part {
  const { endId, visitorId, visitor, ticketUrl, isCut } = told;
  const about = short(visitor, 50);
  const again = withTicket(visitorId, isCut === false ? ticketUrl : undefined);
  return buttons(
    visitorId !== '' &&
      again.length <= LIMITS.buttonValue &&
      button({ text: 'Watch again', actionId: 'watch_again', value: again, label: `Watch again: ${about}` }),
    isCut === false &&
      button({ text: 'Add note', actionId: 'add_note', value: endId, label: `Add note on ${about}` }),
    !told.isNotAccepted && outcomeSelect(told),
  );
}

/** @param isWhole with what a short summary leaves out */
const summaryParts = (told: Told, isWhole = true): readonly Maybe<Part>[] => [
  title(told),
  state(told),
  fields(...mainFacts(told), ...(isWhole ? furtherFields(told) : [])),
  lines(ticketLine(told.ticketUrl, told.isCut)),
  lines(recordsLine(told)),
  lines(...(isWhole ? furtherLines(told) : [])),
  lines(...besideLines(told)),
  context(told.recovered === true ? 'The end was detected automatically (no webhook arrived).' : ''),
  cutWords(told.isCut),
  nextSteps(told),
];

/** Where there is no card to turn into one. */
export const summary = (content: SummaryContent): Message => message(...summaryParts(toldOf(content)));

/** What a card turns into; the rest goes into its thread as {@link summaryDetail}. */
export const shortSummary = (content: SummaryContent): Message =>
  message(...summaryParts(toldOf(content), false));

/** What {@link shortSummary} leaves out, if anything. `mentions` whoever watched, since an edited message notifies nobody. */
export function summaryDetail(content: SummaryContent, mentions: boolean): Message | undefined {
  const told = toldOf(content);
  const [facts, rest] = [furtherFields(told), furtherLines(told)];
  if (facts.length + rest.length === 0) return undefined;
  const what = told.isNotAccepted ? 'request' : 'session';
  return message(
    mentions && lines([user(content.watchedBy), `, here are the details of your ${what}:`]),
    fields(...facts),
    lines(...rest),
  );
}

/** A summary that its channel refused, as a direct message to the agent. */
export function undeliveredSummary(content: SummaryContent, channelId: string, trouble: Trouble): Message {
  const where = ['I couldn’t post this summary in ', channel(channelId), '.'];
  return message(
    status('problem', [where, troubleWords(trouble, true), ['An admin can retry it in the app’s Home tab.']]),
    rule,
    ...summaryParts(toldOf(content)),
  );
}

/** A direct message to an agent who has left the summary's channel. */
export function summaryElsewhere(content: SummaryContent, channelId: string): Message {
  const told = toldOf(content);
  return message(
    lines([
      told.isNotAccepted ? 'The summary of your request is in ' : 'Your session ended. Its summary is in ',
      channel(channelId),
      ', which you’re not in.',
    ]),
    rule,
    ...summaryParts(told),
  );
}
