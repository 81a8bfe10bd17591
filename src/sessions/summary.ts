import type { ActionsBlockElement, StaticSelect } from '@slack/types';
import { wasAccepted, type Session } from '../cobrowse/schemas.ts';
import { ACTION } from '../messages/action-ids.ts';
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
  LIMITS,
  link,
  short,
  user,
  type FieldPiece,
  type Line,
  type Piece,
} from '../messages/text.ts';
import {
  accessTitle,
  agentNames,
  featuresInWords,
  lengthInWords,
  notAcceptedWords,
  OUTCOME_CHOICES,
  outcomeValue,
  outcomeWords,
  ticketLine,
  type SetOutcome,
} from '../messages/session-words.ts';
import type { Access } from '../permissions/permissions.ts';

/** A summary's content, beside the session itself. */
export interface SummaryContent {
  /** The id of the session's end, for the buttons. */
  readonly endId: string;
  readonly session: Session;
  readonly visitorId: string;
  /** The visitor's name, or its id where it could not be looked up. */
  readonly visitor: string;
  /**
   * Whether personal details are left out because people from other organizations can read them: recording, feedback,
   * emails, and typed text.
   */
  readonly isCut: Shared;
  /** The Slack user who pressed Watch. */
  readonly watchedBy: string;
  /** The link's access. */
  readonly access: Access;
  readonly ticketUrl?: string;
  /** The Slack user who stopped the session from Slack, if one did, and why. */
  readonly stoppedBy: { readonly userId: string; readonly reason?: string } | undefined;
  /** How it went, once someone set that. */
  readonly outcome: SetOutcome | undefined;
  /** Whether the end was found by asking the service. */
  readonly recovered?: boolean;
  /** Where the customer's records are in other systems. */
  readonly records?: readonly RecordLink[];
  /** Sessions that ran beside it because a colleague was asked, each by its agents and its summary's address. */
  readonly beside?: readonly { readonly agents: string; readonly url: string }[];
}

/** Whether the service says that the customer never let the agent see the page: nothing was done then. */
const isNotAccepted = ({ session }: SummaryContent) => wasAccepted(session) === false;

/** A name in a title, where it can't look like another fact. */
const inTitle = (name: string) => short(name.replaceAll('·', '-'), 60);

/** Two by name, and that there are more. */
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

/** How it ended, in one line of small print. */
function state(content: SummaryContent): Part {
  const { session, access, watchedBy } = content;
  const started = new Date(session.started_at ?? Number.NaN);
  const at = Number.isNaN(started.getTime()) ? [] : [date(started)];
  const granted = accessTitle(access);
  if (isNotAccepted(content)) {
    const asker = agentsInTitle(namesOf(content));
    return context(
      asker === '' ? user(watchedBy) : asker,
      `asked to see the screen · ${granted}${at.length === 0 ? '' : ' · Asked:'}`,
      ...at,
    );
  }
  const tools = session.features_used.length === 0 ? ' · No tools used' : '';
  return context(
    `Co-browsing session ended · ${granted}${tools}${at.length === 0 ? '' : ' · Started:'}`,
    ...at,
  );
}

const field = (label: string, ...value: readonly FieldPiece[]): Field => ({ label, value });

function line(label: string, ...pieces: readonly Piece[]): Line {
  return [bold(`${label}: `), ...pieces];
}

function outcomeField({ outcome: set, isCut }: SummaryContent): readonly Field[] {
  if (set === undefined) return [];
  const words = outcomeWords(set.outcome);
  return [isCut === false ? field('Outcome', `${words}, set by `, user(set.by)) : field('Outcome', words)];
}

/** What the title has no room for, what was used, how it went. */
function mainFacts(content: SummaryContent): readonly Field[] {
  const { session, visitor, watchedBy } = content;
  const names = namesOf(content);
  const isAsked = isNotAccepted(content);
  const [customer, agents] = [short(visitor), names.join(', ')];
  return [
    ...(customer === inTitle(visitor) ? [] : [field('Customer', customer)]),
    ...(names.length === 0 && !isAsked ? [field('Agent', user(watchedBy))] : []),
    ...(names.length < 3 && names.join(' and ') === agentsInTitle(names)
      ? []
      : [field(names.length === 1 ? 'Agent' : 'Agents', agents)]),
    ...(isAsked ? [] : [field('Tools used', featuresInWords(session))]),
    ...outcomeField(content),
  ];
}

/** What a short summary leaves out. */
const furtherFields = ({ session, stoppedBy }: SummaryContent): readonly Field[] => [
  ...(stoppedBy === undefined ? [] : [field('Stopped by', user(stoppedBy.userId))]),
  ...(session.on_premise === true ? [field('Where', 'On-premise')] : []),
];

function ticketOf({ ticketUrl, isCut }: SummaryContent): readonly Part[] {
  const shown = ticketLine(ticketUrl, isCut);
  return shown.length === 0 ? [] : [lines(...shown)];
}

/** "Records: Acme CRM · Billing", as links. */
const recordsOf = ({ records = [] }: SummaryContent): readonly Part[] =>
  records.length === 0
    ? []
    : [
        line(
          'Records',
          ...records.flatMap(({ name, url }, index) => [index === 0 ? '' : ' · ', link(url, name)]),
        ),
      ].map((one) => lines(one));

/** What doesn't fit into a column, or is a link. */
function furtherLines(content: SummaryContent): readonly Part[] {
  const { session, isCut, stoppedBy } = content;
  const recording = isCut ? undefined : session.video_url;
  const reason = isCut ? undefined : stoppedBy?.reason;
  const feedback = isCut || isNotAccepted(content) ? [] : session.quality_feedback;
  const all = [
    ...(reason === undefined ? [] : [line('Reason', short(reason, 300))]),
    ...(recording === undefined ? [] : [line('Recording', link(recording, 'open the recording'))]),
    ...feedback.map((one) => line('Feedback', short(one, 300))),
  ];
  return all.length === 0 ? [] : [lines(...all)];
}

/** "At the same time: Session with Sam Lee", which leads to its summary. */
function besideLines({ beside = [], isCut }: SummaryContent): readonly Part[] {
  if (isCut !== false || beside.length === 0) return [];
  return [
    lines(
      ...beside.map(({ agents, url }) =>
        line('At the same time', link(url, `Session with ${short(agents)}`)),
      ),
    ),
  ];
}

/** How the end was found, and why details are missing. */
function aboutIt({ recovered, isCut }: SummaryContent): readonly Part[] {
  const found =
    recovered === true ? [context('The end was detected automatically (no webhook arrived).')] : [];
  return [...found, ...cutWords(isCut)];
}

function outcomeSelect({ endId, outcome }: SummaryContent): StaticSelect {
  return {
    type: 'static_select',
    action_id: ACTION.outcome,
    placeholder: {
      type: 'plain_text',
      text: outcome === undefined ? 'Outcome' : 'Change outcome',
      emoji: false,
    },
    options: OUTCOME_CHOICES.map(({ outcome: choice, text }) => ({
      text: { type: 'plain_text', text, emoji: false },
      value: outcomeValue(endId, choice),
    })),
  };
}

/**
 * The next steps. No button has an address: permissions are checked at the press. Notes are left out if people from other
 * organizations can read the channel.
 */
function nextSteps(content: SummaryContent): Part {
  const { endId, visitorId, visitor, ticketUrl, isCut } = content;
  const about = short(visitor, 50);
  const again = withTicket(visitorId, isCut === false ? ticketUrl : undefined);
  const elements: readonly ActionsBlockElement[] = [
    ...(visitorId === '' || again.length > LIMITS.buttonValue
      ? []
      : [
          button({
            text: 'Watch again',
            actionId: ACTION.watchAgain,
            value: again,
            label: `Watch again: ${about}`,
          }),
        ]),
    ...(isCut === false
      ? [
          button({
            text: 'Add note',
            actionId: ACTION.addNote,
            value: endId,
            label: `Add note on ${about}`,
          }),
        ]
      : []),
    ...(isNotAccepted(content) ? [] : [outcomeSelect(content)]),
  ];
  return buttons(...elements);
}

function summaryParts(content: SummaryContent): readonly Part[] {
  return [
    title(content),
    state(content),
    fields(...mainFacts(content), ...furtherFields(content)),
    ...ticketOf(content),
    ...recordsOf(content),
    ...furtherLines(content),
    ...besideLines(content),
    ...aboutIt(content),
  ];
}

/** The full summary of a session, if there is no card to turn into one. */
export function summary(content: SummaryContent): Message {
  return message(...summaryParts(content), nextSteps(content));
}

/** What a card turns into; the rest goes into its thread as {@link summaryDetail}. */
export function shortSummary(content: SummaryContent): Message {
  return message(
    title(content),
    state(content),
    fields(...mainFacts(content)),
    ...ticketOf(content),
    ...recordsOf(content),
    ...besideLines(content),
    ...aboutIt(content),
    nextSteps(content),
  );
}

/**
 * For the thread of a short summary: what it leaves out. Undefined if that's nothing.
 *
 * @param mentions whether to mention whoever watched: an edited message notifies nobody
 */
export function summaryDetail(content: SummaryContent, mentions: boolean): Message | undefined {
  const [facts, rest] = [furtherFields(content), furtherLines(content)];
  if (facts.length + rest.length === 0) return undefined;
  const what = isNotAccepted(content) ? 'request' : 'session';
  const called = mentions
    ? [lines([user(content.watchedBy), `, here are the details of your ${what}:`])]
    : [];
  return message(...called, fields(...facts), ...rest);
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
    nextSteps(content),
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
    nextSteps(content),
  );
}
