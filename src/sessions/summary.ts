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
  LIMITS,
  link,
  plain,
  short,
  user,
  type FieldPiece,
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
  /** For the buttons. */
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
  /** Whether the end was found by asking the service. */
  readonly recovered?: boolean;
  /** In other systems. */
  readonly records?: readonly RecordLink[];
  /** Sessions that ran beside it because a colleague was asked; `url` is the summary's. */
  readonly beside?: readonly { readonly agents: string; readonly url: string }[];
}

/** The customer never let the agent see the page. */
const isNotAccepted = ({ session }: SummaryContent) => wasAccepted(session) === false;

/** A name that can't look like another fact of the title. */
const inTitle = (name: string) => short(name.replaceAll('·', '-'), 60);

const agentsInTitle = ([first = '', second = '', ...others]: readonly string[]): string =>
  inTitle(second === '' ? first : `${first} and ${others.length === 0 ? second : 'others'}`);

/** An agent without a name goes by their email, which people of other organizations don't see. */
const namesOf = ({ session, isCut }: SummaryContent): readonly string[] =>
  agentNames(session).filter((name) => isCut === false || !name.includes('@'));

/** "Jane Cooper with Alex Rivera · 6 min". */
function title(content: SummaryContent): Part {
  const { session, visitor, stoppedBy } = content;
  // A name may be nothing that shows.
  const who = inTitle(visitor) || 'A customer';
  if (isNotAccepted(content)) return heading(notAcceptedWords(who, session, stoppedBy !== undefined));
  const names = namesOf(content);
  const pair = names.length === 0 ? who : `${who} with ${agentsInTitle(names)}`;
  const length = lengthInWords(session, briefly);
  return heading(length === undefined ? pair : `${pair} · ${length}`);
}

/** One line of small print. */
function state(content: SummaryContent): Part {
  const { session, access, watchedBy } = content;
  const started = new Date(session.started_at ?? Number.NaN);
  const isKnown = !Number.isNaN(started.getTime());
  const at = isKnown ? [date(started)] : [];
  const granted = accessTitle(access);
  if (isNotAccepted(content)) {
    const asker = agentsInTitle(namesOf(content)) || user(watchedBy);
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

function mainFacts(content: SummaryContent): readonly Maybe<Field>[] {
  const { session, visitor, watchedBy } = content;
  const names = namesOf(content);
  const isAsked = isNotAccepted(content);
  const customer = short(visitor);
  const isInTitle = names.length < 3 && names.join(' and ') === agentsInTitle(names);
  return [
    customer !== inTitle(visitor) && field('Customer', customer),
    names.length === 0 && !isAsked && field('Agent', user(watchedBy)),
    !isInTitle && field(names.length === 1 ? 'Agent' : 'Agents', names.join(', ')),
    !isAsked && field('Tools used', featuresInWords(session)),
    outcomeField(content),
  ];
}

/** What a short summary leaves out. */
const furtherFields = ({ session, stoppedBy }: SummaryContent): readonly Field[] =>
  given([
    stoppedBy && field('Stopped by', user(stoppedBy.userId)),
    session.on_premise === true && field('Where', 'On-premise'),
  ]);

/** "Records: Acme CRM · Billing", as links. */
const recordsLine = ({ records = [] }: SummaryContent): readonly Line[] =>
  records.length === 0
    ? []
    : [
        line(
          'Records',
          ...records.flatMap(({ name, url }, index) => [index === 0 ? '' : ' · ', link(url, name)]),
        ),
      ];

/** Further facts that don't fit into a column, or are links. */
function furtherLines(content: SummaryContent): readonly Line[] {
  const { session, isCut, stoppedBy } = content;
  if (isCut !== false) return [];
  const { video_url: recording } = session;
  const feedback = isNotAccepted(content) ? [] : session.quality_feedback;
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
function nextSteps(content: SummaryContent): Part {
  const { endId, visitorId, visitor, ticketUrl, isCut } = content;
  const about = short(visitor, 50);
  const again = withTicket(visitorId, isCut === false ? ticketUrl : undefined);
  return buttons(
    visitorId !== '' &&
      again.length <= LIMITS.buttonValue &&
      button({ text: 'Watch again', actionId: 'watch_again', value: again, label: `Watch again: ${about}` }),
    isCut === false &&
      button({ text: 'Add note', actionId: 'add_note', value: endId, label: `Add note on ${about}` }),
    !isNotAccepted(content) && outcomeSelect(content),
  );
}

/** @param isWhole with what a short summary leaves out */
const summaryParts = (content: SummaryContent, isWhole = true): readonly Part[] => [
  title(content),
  state(content),
  fields(...mainFacts(content), ...(isWhole ? furtherFields(content) : [])),
  lines(...ticketLine(content.ticketUrl, content.isCut)),
  lines(...recordsLine(content)),
  lines(...(isWhole ? furtherLines(content) : [])),
  lines(...besideLines(content)),
  context(content.recovered === true ? 'The end was detected automatically (no webhook arrived).' : ''),
  ...cutWords(content.isCut),
  nextSteps(content),
];

/** Where there is no card to turn into one. */
export const summary = (content: SummaryContent): Message => message(...summaryParts(content));

/** What a card turns into; the rest goes into its thread as {@link summaryDetail}. */
export const shortSummary = (content: SummaryContent): Message => message(...summaryParts(content, false));

/** What {@link shortSummary} leaves out, if anything. `mentions` whoever watched, since an edited message notifies nobody. */
export function summaryDetail(content: SummaryContent, mentions: boolean): Message | undefined {
  const [facts, rest] = [furtherFields(content), furtherLines(content)];
  if (facts.length + rest.length === 0) return undefined;
  const what = isNotAccepted(content) ? 'request' : 'session';
  return message(
    mentions && lines([user(content.watchedBy), `, here are the details of your ${what}:`]),
    fields(...facts),
    lines(...rest),
  );
}

/** A summary that its channel refused, as a direct message to the agent. */
export function undeliveredSummary(
  content: SummaryContent,
  channelId: string | undefined,
  trouble: Trouble,
): Message {
  const where: Line = channelId === undefined ? ['its channel'] : [channel(channelId)];
  return message(
    status('problem', [['I couldn’t post this summary in ', ...where, '.'], troubleWords(trouble, true)]),
    rule,
    ...summaryParts(content),
  );
}

/** A direct message to an agent who has left the summary's channel. */
export function summaryElsewhere(content: SummaryContent, channelId: string): Message {
  return message(
    lines([
      isNotAccepted(content)
        ? 'The summary of your request is in '
        : 'Your session ended. Its summary is in ',
      channel(channelId),
      ', which you’re not in.',
    ]),
    rule,
    ...summaryParts(content),
  );
}
