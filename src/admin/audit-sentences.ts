import type { AuditEntry } from '../audit/audit.ts';
import { OUTCOME_CHOICES, accessWords } from '../messages/session-words.ts';
import { bold, code, count, say, short, where, who, type Line, type Piece } from '../messages/text.ts';
import { ACCESS_LEVELS, type Access, type Rule } from '../permissions/permissions.ts';
import type { RecordedChange } from '../workspaces/settings.ts';
import { RULE_TITLES } from './settings-list.ts';

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

const chosen = (value: unknown) => OUTCOME_CHOICES.find(({ outcome }) => outcome === value)?.text;

const visitorOf = ({ visitorId }: AuditEntry): Piece =>
  visitorId === undefined ? 'a customer' : code(short(visitorId, 40));

/** What someone did: first the act, which a list shows in bold, then to what. */
type Deed = readonly [act: string, ...rest: Line];

/** "stopped ..." if it was done, "tried to stop ... (not found)" if it wasn't. */
function tried(
  { outcome }: AuditEntry,
  [past, infinitive]: readonly [string, string],
  what: Line,
  isDone = outcome === 'done',
): Deed {
  if (isDone) return [past, ...what];
  if (outcome === 'asked') return [`asked to ${infinitive}`, ...what];
  return [`tried to ${infinitive}`, ...what, ` (${reason(outcome)})`];
}

function searched(record: AuditEntry): Deed {
  const { visitorId, outcome, detail } = record;
  if (outcome !== 'done') return ['tried to search', ` (${reason(outcome)})`];
  if (visitorId !== undefined) return ['looked up', ' ', visitorOf(record)];
  const found = detail?.['found'];
  if (found === 0) return ['searched', ' and found nothing'];
  return ['searched', ...say`${typeof found === 'number' && ` and found ${count(found, 'result')}`}`];
}

function deleted(record: AuditEntry): Deed {
  const { what, count: number } = record.detail ?? {};
  const many = typeof number === 'number' && ` (${number.toLocaleString('en-US')})`;
  const whom = what === 'all-offline' ? say` all offline customers${many}` : say` ${visitorOf(record)}`;
  return tried(record, ['deleted', 'delete'], whom);
}

function outcomeSet(record: AuditEntry): Deed {
  const [to, from] = [chosen(record.detail?.['to']), chosen(record.detail?.['from'])];
  const visitor = visitorOf(record);
  return ['set the outcome', ...say` of ${visitor}’s session${to && ` to ${to}`}${from && ` (was ${from})`}`];
}

const SUBSCRIPTION_DEEDS: ReadonlyMap<string, string> = new Map([
  ['set-up', 'set up'],
  ['edited', 'changed'],
  ['removed', 'removed'],
  ['resumed', 'resumed'],
  ['paused', 'paused'],
]);

function subscribed({ outcome, detail = {} }: AuditEntry): Deed {
  const { subscription: id, by, reason: why } = detail;
  const which = typeof id === 'string' ? ` subscription ${short(id, 20)}` : ' a subscription';
  const because = typeof why === 'string' ? ` (${reason(why)})` : '';
  // The person is whoever set it up; they did nothing themselves.
  if (by === 'app') return ['owns', `${which}, which the app ${reason(outcome)}${because}`];
  const deed = SUBSCRIPTION_DEEDS.get(outcome);
  if (deed === undefined) return ['tried to set up', `${which} (${reason(outcome)})`];
  return [deed, `${which}${because}`];
}

function delivered({ outcome, detail }: AuditEntry): Deed {
  if (outcome === 'retried') return ['retried', ' a delivery'];
  if (outcome === 'dropped') return ['discarded', ' a delivery'];
  const act = detail?.['act'] === 'drop' ? 'discard' : 'retry';
  return [`tried to ${act}`, ` a delivery (${reason(outcome)})`];
}

function listSeen({ outcome, detail = {} }: AuditEntry, what: string, one: string): Deed {
  const { file, found, names } = detail;
  if (file !== true) return ['looked at', ` ${what}`];
  if (outcome !== 'sent') return ['asked for', ' a file that Slack didn’t take'];
  const named = names === true ? ', with customers’ names' : '';
  return ['got', ` ${what} as a file${typeof found === 'number' ? ` (${count(found, one)}${named})` : ''}`];
}

const ON_IT: ReadonlyMap<string, string> = new Map([
  ['taken', 'was on it'],
  ['released', 'was no longer on it'],
]);

function onIt(record: AuditEntry): Deed {
  const act = ON_IT.get(record.outcome);
  return act === undefined
    ? ['wanted to help', ...say` ${visitorOf(record)} (someone else was on it)`]
    : [act, ...say`: ${visitorOf(record)} was waiting`];
}

function onlineNotice(record: AuditEntry): Deed {
  const visitor = visitorOf(record);
  switch (record.outcome) {
    case 'set':
    case 'already':
      return ['asked to be told', ...say` when ${visitor} comes online`];
    case 'full':
      return ['asked to be told', ...say` when ${visitor} comes online (too many are awaited)`];
    case 'cancelled':
      return ['no longer wants to be told', ...say` when ${visitor} comes online`];
    case 'sent':
      return ['was told', ...say` that ${visitor} is online`];
    default:
      return ['wasn’t told', ...say` that ${visitor} is online (${reason(record.outcome)})`];
  }
}

function askedColleague(record: AuditEntry): Deed {
  const { outcome, detail = {} } = record;
  const { to, from, reason: hasReason } = detail;
  const visitor = visitorOf(record);
  if (outcome === 'taken')
    return ['took the question to look at ', ...say`${visitor}’s screen from ${who(String(from ?? ''))}`];
  const colleague = typeof to === 'string' ? placeOrPerson(to) : 'a colleague';
  return outcome === 'asked'
    ? ['asked', ...say` ${colleague} to look at ${visitor}’s screen${hasReason === true && ', and said why'}`]
    : ['couldn’t ask', ...say` ${colleague} to look at ${visitor}’s screen (${reason(outcome)})`];
}

function followedUp(record: AuditEntry): Deed {
  const { outcome, detail = {} } = record;
  const visitor = visitorOf(record);
  const { to, line } = detail;
  switch (outcome) {
    case 'set':
      return ['set a follow-up', ...say` with ${visitor}${line === true && ', and said what to do'}`];
    case 'later':
      return ['moved a follow-up', ...say` with ${visitor}`];
    case 'handed': {
      const colleague = typeof to === 'string' && say` to ${who(to)}`;
      return ['handed on a follow-up', ...say` with ${visitor}${colleague}`];
    }
    case 'done':
      return ['finished a follow-up', ...say` with ${visitor}`];
    case 'sent':
      return ['was reminded', ...say` of a follow-up with ${visitor}`];
    default:
      return ['wasn’t reminded', ...say` of a follow-up with ${visitor} (${reason(outcome)})`];
  }
}

const WEBHOOK_DEEDS: ReadonlyMap<string, string> = new Map([
  ['added', 'added'],
  ['changed', 'changed'],
  ['removed', 'removed'],
  ['resumed', 'retried'],
  ['rotated', 'made a new secret for'],
  ['tested', 'sent a test to'],
]);

function webhookChanged({ outcome, detail }: AuditEntry): Deed {
  const host = detail?.['host'];
  const address = typeof host === 'string' ? code(short(host, 80)) : 'an address';
  return [WEBHOOK_DEEDS.get(outcome) ?? reason(outcome), ...say` the webhook to ${address}`];
}

/** A rule may name hundreds; the file has them all. */
const LISTED = 5;

function listed<Entry>(entries: readonly Entry[], line: (entry: Entry) => Line): Line {
  const rest = entries.length - LISTED;
  const shown = entries.slice(0, LISTED).flatMap((entry) => [', ', ...line(entry)]);
  return say`${shown.slice(1)}${rest > 0 && ` and ${count(rest, 'other')}`}`;
}

function ruleWords({ members, ids }: Rule): Line {
  const everybody = members ? 'members' : 'admins';
  return ids.length === 0 ? [everybody] : [`${everybody}, `, ...listed(ids, (id) => [placeOrPerson(id)])];
}

function channelWords(accessLevels: Readonly<Record<string, Access>>): Line {
  const entries = Object.entries(accessLevels);
  if (entries.length === 0) return ['none'];
  return listed(entries, ([id, access]) => [placeOrPerson(id), ` ${accessWords(access)}`]);
}

const placeWords = (channelId: string | null): Line => [channelId === null ? 'none' : where(channelId)];
const hostWords = (account: { readonly host: string } | null): Line => [
  account === null ? 'none' : code(short(account.host, 80)),
];

const addressWords = (addresses: readonly string[]): Line =>
  addresses.length === 0 ? ['none'] : listed(addresses, (address) => [code(short(address, 80))]);

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

function changed({ outcome, change }: ShownRecord): Deed {
  const act = outcome === 'done' ? 'changed' : 'asked to change';
  if (change === undefined) return [outcome === 'done' ? act : 'tried to change', ' a setting'];
  const isKept = change.setting === 'defaultAccess' && change.from === change.to;
  return isKept
    ? ['chose', ` to keep the default access: ${accessWords(change.to)}`]
    : [act, ' ', ...settingChangeWords(change)];
}

function linkGiven(record: AuditEntry): Deed {
  const { outcome, detail = {} } = record;
  const access = ACCESS_LEVELS.find((one) => one === detail['access']);
  const ticket = short(String(detail['ticket'] ?? ''), 80);
  const how = say`${access && ` (${accessWords(access)})`}${ticket && `, for a ticket on ${ticket}`}`;
  const screen = say` ${visitorOf(record)}’s screen${how}`;
  return tried(record, ['asked to see', 'see'], screen, outcome === 'given');
}

function proxyLinkGiven(record: AuditEntry): Deed {
  const site = short(String(record.detail?.['host'] ?? ''), 80) || 'a site';
  const what = [` a link for a session on ${site}`];
  return tried(record, ['got', 'get'], what, record.outcome === 'given');
}

function agentLookedUp(record: AuditEntry): Deed {
  const agent = record.detail?.['agent'];
  const name = typeof agent === 'string' ? say` agent ${code(short(agent, 80))}` : [' an agent'];
  return tried(record, ['looked up', 'look up'], name);
}

const toolWords = ({ detail }: AuditEntry): Line => [
  ` to ${short(String(detail?.['tool'] ?? ''), 40).replaceAll('_', ' ')}`,
];

const DEEDS: Readonly<Record<AuditEntry['action'], (record: ShownRecord) => Deed>> = {
  search: searched,
  link: linkGiven,
  'proxy-link': proxyLinkGiven,
  refusal: ({ outcome, detail }) => [
    `tried to ${ACTS.get(detail?.['act']) ?? 'do something'}`,
    ` (${reason(outcome)})`,
  ],
  stop: (record) => tried(record, ['stopped', 'stop'], say` ${visitorOf(record)}’s session`),
  outcome: outcomeSet,
  note: (record) => tried(record, ['added', 'add'], say` a note on ${visitorOf(record)}’s session`),
  delete: deleted,
  setting: changed,
  subscription: subscribed,
  delivery: delivered,
  audit: (record) => listSeen(record, 'the audit log', 'record'),
  usage: (record) => tried(record, ['looked at', 'look at'], [' the usage numbers']),
  sessions: (record) => listSeen(record, 'ended sessions', 'session'),
  'on-it': onIt,
  'online-notice': onlineNotice,
  ask: askedColleague,
  'follow-up': followedUp,
  webhook: webhookChanged,
  agent: agentLookedUp,
  slackbot: (record) => tried(record, ['asked through Slackbot', 'ask through Slackbot'], toolWords(record)),
};

/** What someone did, after their name: "stopped jane4821’s session". Internal ids are only in the file. */
export const sentence = (record: ShownRecord): Deed => DEEDS[record.action](record);
