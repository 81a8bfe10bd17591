import type { AuditEntry } from '../audit/audit.ts';
import { SessionOutcome, accessWords, outcomeWords } from '../messages/session-words.ts';
import {
  bold,
  code,
  count,
  say,
  short,
  where,
  who,
  type Line,
  type Maybe,
  type Piece,
} from '../messages/text.ts';
import { ACCESS_LEVELS, type Access, type Rule } from '../permissions/permissions.ts';
import type { RecordedChange } from '../workspaces/settings.ts';
import { listed, RULE_TITLES } from './settings-list.ts';

/** A record, with the change of a setting read back where it is one. */
export type ShownRecord = AuditEntry & { readonly change?: RecordedChange | undefined };

const placeOrPerson = (id: string): Piece => (/^[CGD]/.test(id) ? where(id) : who(id));

/** What someone wasn't allowed to do, after "tried to". */
const ACTS: ReadonlyMap<unknown, string> = new Map([
  ['watch', 'watch'],
  ['search', 'search'],
  ['agent', 'look up an agent'],
  ['sessions', 'see sessions'],
  ['home', 'open the Home tab'],
  ['stop', 'stop sessions'],
  ['delete', 'delete customers'],
  ['usage', 'see usage'],
  ['outcome', 'set the outcome of a session'],
  ['note', 'add a note'],
  ['audit', 'see the audit log'],
  ['doctor', 'check the setup'],
  ['subscribe', 'change subscriptions'],
  ['subscriptions', 'see subscriptions'],
  ['follow-ups', 'see follow-ups'],
  ['follow-up', 'change a follow-up'],
  ['settings', 'change settings'],
  ['may-watch', 'change who can watch'],
  ['may-stop', 'change who can stop sessions'],
  ['may-delete', 'change who can delete customers'],
  ['may-usage', 'change who can see usage'],
  ['service-account', 'change the co-browsing account'],
  ['summary-channel', 'change the summary channel'],
  ['ticket-addresses', 'change the ticket addresses'],
  ['record-links', 'change the links to customers’ records'],
  ['webhooks', 'see or change webhooks'],
  ['retry', 'retry a delivery'],
  ['drop', 'discard a delivery'],
]);

const REASONS: ReadonlyMap<string, string> = new Map([
  ['not-named', 'not on the list'],
  ['not-admin', 'not an admin'],
  ['guest', 'guest'],
  ['external', 'from another organization'],
  ['bot', 'an app'],
  ['deactivated', 'deactivated'],
  ['left-channel', 'not in the channel'],
  ['unchecked', 'Slack couldn’t be asked'],
  ['someone-else', 'someone else’s button'],
  ['late', 'the press came too late'],
  ['address-worn', 'the button was tried too often'],
  ['not-found', 'not found'],
  ['refused-key', 'the service refused the key'],
  ['failed', 'it failed'],
  ['unclear', 'Slack didn’t say whether it worked'],
]);

/** Why something failed, in our words; without any, the kind of failure as it is. */
const reason = (outcome: string): string => REASONS.get(outcome) ?? short(outcome.replaceAll('-', ' '), 40);

/** A rule may name hundreds; the file has them all. */
const LISTED = 5;

const ruleWords = ({ members, ids }: Rule): Line => {
  const everybody = members ? 'members' : 'admins';
  return ids.length === 0 ? [everybody] : say`${everybody}, ${listed(ids, LISTED, placeOrPerson)}`;
};

const channelWords = (accessLevels: Readonly<Record<string, Access>>): Line =>
  listed(
    Object.entries(accessLevels),
    LISTED,
    ([id, access]) => say`${placeOrPerson(id)} ${accessWords(access)}`,
  );

const addressWords = (addresses: readonly string[]): Line =>
  listed(addresses, LISTED, (address) => code(short(address, 80)));

const placeWords = (channelId: string | null): Line => [channelId === null ? 'none' : where(channelId)];
const hostWords = (account: { readonly host: string } | null): Line =>
  addressWords(account === null ? [] : [account.host]);
const onOrOff = (is: boolean): Line => [is ? 'on' : 'off'];
const accessLine = (access: Access): Line => [accessWords(access)];

const fromTo = <Value>(
  title: string,
  { from, to }: { readonly from: Value; readonly to: Value },
  words: (value: Value) => Line,
) => say`${bold(title)} from ${words(from)} to ${words(to)}`;

/** A change of a setting, after "changed": "*Maximum access* from full control to view only". */
function settingChangeWords(change: RecordedChange): Line {
  switch (change.setting) {
    case 'rule':
      return fromTo(RULE_TITLES[change.act], change, ruleWords);
    case 'maxAccess':
      return fromTo('Maximum access', change, accessLine);
    case 'defaultAccess':
      return fromTo('Default access', change, accessLine);
    case 'channelAccess':
      return fromTo('Channel overrides', change, channelWords);
    case 'summaryChannel':
      return fromTo('Summary channel', change, placeWords);
    case 'ticketPrefixes':
      return fromTo('Ticket addresses', change, addressWords);
    case 'recordLinks':
      return fromTo('Customer records', change, addressWords);
    case 'namesInFiles':
      return fromTo('Customers’ names in files', change, onOrOff);
    case 'slackbot':
      return fromTo('Slackbot', change, onOrOff);
    case 'serviceAccount':
      return fromTo('Co-browsing account', change, hostWords);
  }
}

const chosen = (value: unknown) => {
  const { data } = SessionOutcome.safeParse(value);
  return data && outcomeWords(data);
};

function wordsIn({ visitorId, outcome, detail = {}, change }: ShownRecord) {
  const { found, count: many, to, from, reason: why, line, ...others } = detail;
  const text = (name: string, longest = 80) => {
    const value = others[name];
    return typeof value === 'string' ? short(value, longest) : '';
  };
  const [host, ticket, agent] = [text('host'), text('ticket'), text('agent')];
  const subscription = text('subscription', 20);
  const access = ACCESS_LEVELS.find((one) => one === others['access']);
  return new Map<string, Maybe<Piece | Line>>([
    ['visitor', visitorId === undefined ? 'a customer' : code(short(visitorId, 40))],
    ['why', reason(outcome)],
    ['found', typeof found === 'number' && ` and found ${found === 0 ? 'nothing' : count(found, 'result')}`],
    ['access', access && ` (${accessWords(access)})`],
    ['ticket', ticket && `, for a ticket on ${ticket}`],
    ['site', host || 'a site'],
    ['address', host ? code(host) : 'an address'],
    ['tool', text('tool', 40).replaceAll('_', ' ') || 'do something'],
    ['agent', agent ? ['agent ', code(agent)] : 'an agent'],
    ['offline', typeof many === 'number' && ` (${many.toLocaleString('en-US')})`],
    ['outcome', say`${chosen(to) && ` to ${chosen(to)}`}${chosen(from) && ` (was ${chosen(from)})`}`],
    ['colleague', typeof to === 'string' ? placeOrPerson(to) : 'a colleague'],
    ['toWhom', typeof to === 'string' && [' to ', who(to)]],
    ['asker', who(String(from ?? ''))],
    ['saidWhy', why === true && ', and said why'],
    ['saidWhat', line === true && ', and said what to do'],
    ['subscription', subscription ? `subscription ${subscription}` : 'a subscription'],
    ['because', typeof why === 'string' && ` (${reason(why)})`],
    ['change', change && settingChangeWords(change)],
  ]);
}

/** By outcome, what follows a person's name: the act, which a list shows in bold, and to what. `other` is any other outcome. */
type Sentences = Readonly<Record<string, string>> & { readonly other: string };

/** "stopped ..." if it was done, "tried to stop ... (not found)" if it wasn't. */
const tried = (past: string, infinitive: string, what: string, done = 'done'): Sentences => ({
  [done]: `${past}|${what}`,
  asked: `asked to ${infinitive}|${what}`,
  other: `tried to ${infinitive}|${what} ({why})`,
});

function listSeen({ outcome, detail = {} }: AuditEntry, what: string, one: string): string {
  const { file, found, names } = detail;
  if (file !== true) return `looked at| ${what}`;
  if (outcome !== 'sent') return 'asked for| a file that Slack didn’t take';
  const named = names === true ? ', with customers’ names' : '';
  return `got| ${what} as a file${typeof found === 'number' ? ` (${count(found, one)}${named})` : ''}`;
}

function settingChanged({ outcome, change }: ShownRecord): string {
  const isDone = outcome === 'done';
  if (change === undefined) return `${isDone ? 'changed' : 'tried to change'}| a setting`;
  if (change.setting === 'defaultAccess' && change.from === change.to)
    return `chose| to keep the default access: ${accessWords(change.to)}`;
  return `${isDone ? 'changed' : 'asked to change'}| {change}`;
}

const WEBHOOK_DEEDS: ReadonlyMap<string, string> = new Map([
  ['resumed', 'retried'],
  ['rotated', 'made a new secret for'],
  ['tested', 'sent a test to'],
]);

const SUBSCRIPTION_DEEDS: Sentences = {
  'set-up': 'set up| {subscription}{because}',
  edited: 'changed| {subscription}{because}',
  removed: 'removed| {subscription}{because}',
  resumed: 'resumed| {subscription}{because}',
  paused: 'paused| {subscription}{because}',
  other: 'tried to set up| {subscription} ({why})',
};

const DEEDS: Readonly<
  Record<AuditEntry['action'], Sentences | ((record: ShownRecord) => Sentences | string)>
> = {
  search: ({ visitorId }) => ({
    done: visitorId === undefined ? 'searched|{found}' : 'looked up| {visitor}',
    other: 'tried to search| ({why})',
  }),
  link: tried('asked to see', 'see', ' {visitor}’s screen{access}{ticket}', 'given'),
  'proxy-link': tried('got', 'get', ' a link for a session on {site}', 'given'),
  refusal: ({ detail }) => `tried to ${ACTS.get(detail?.['act']) ?? 'do something'}| ({why})`,
  stop: tried('stopped', 'stop', ' {visitor}’s session'),
  outcome: () => 'set the outcome| of {visitor}’s session{outcome}',
  note: tried('added', 'add', ' a note on {visitor}’s session'),
  delete: ({ detail }) => {
    const isAll = detail?.['what'] === 'all-offline';
    return tried('deleted', 'delete', isAll ? ' all offline customers{offline}' : ' {visitor}');
  },
  setting: settingChanged,
  // The person is whoever set it up; they did nothing themselves where the app did.
  subscription: ({ detail }) =>
    detail?.['by'] === 'app' ? 'owns| {subscription}, which the app {why}{because}' : SUBSCRIPTION_DEEDS,
  delivery: ({ detail }) => ({
    retried: 'retried| a delivery',
    dropped: 'discarded| a delivery',
    other: `tried to ${detail?.['act'] === 'drop' ? 'discard' : 'retry'}| a delivery ({why})`,
  }),
  audit: (record) => listSeen(record, 'the audit log', 'record'),
  usage: tried('looked at', 'look at', ' the usage numbers'),
  sessions: (record) => listSeen(record, 'ended sessions', 'session'),
  'on-it': {
    taken: 'was on it|: {visitor} was waiting',
    released: 'was no longer on it|: {visitor} was waiting',
    other: 'wanted to help| {visitor} (someone else was on it)',
  },
  'online-notice': {
    set: 'asked to be told| when {visitor} comes online',
    already: 'asked to be told| when {visitor} comes online',
    full: 'asked to be told| when {visitor} comes online (too many are awaited)',
    cancelled: 'no longer wants to be told| when {visitor} comes online',
    sent: 'was told| that {visitor} is online',
    other: 'wasn’t told| that {visitor} is online ({why})',
  },
  ask: {
    taken: 'took the question to look at |{visitor}’s screen from {asker}',
    asked: 'asked| {colleague} to look at {visitor}’s screen{saidWhy}',
    other: 'couldn’t ask| {colleague} to look at {visitor}’s screen ({why})',
  },
  'follow-up': {
    set: 'set a follow-up| with {visitor}{saidWhat}',
    later: 'moved a follow-up| with {visitor}',
    handed: 'handed on a follow-up| with {visitor}{toWhom}',
    done: 'finished a follow-up| with {visitor}',
    sent: 'was reminded| of a follow-up with {visitor}',
    other: 'wasn’t reminded| of a follow-up with {visitor} ({why})',
  },
  webhook: ({ outcome }) => `${WEBHOOK_DEEDS.get(outcome) ?? reason(outcome)}| the webhook to {address}`,
  agent: tried('looked up', 'look up', ' {agent}'),
  slackbot: tried('asked through Slackbot', 'ask through Slackbot', ': {tool}'),
};

/** What someone did, after their name: "stopped jane4821’s session". Internal ids are only in the file. */
export function sentence(record: ShownRecord): readonly [act: string, ...rest: Line] {
  const deed = DEEDS[record.action];
  const said = typeof deed === 'function' ? deed(record) : deed;
  const words = typeof said === 'string' ? said : (said[record.outcome] ?? said.other);
  const [act = '', rest = ''] = words.split('|');
  const named = wordsIn(record);
  const pieces = rest
    .split(/\{(\w+)\}/)
    .flatMap((text, index) => (index % 2 === 0 ? text : named.get(text) || []));
  return [act, ...pieces.filter((piece) => piece !== '')];
}
