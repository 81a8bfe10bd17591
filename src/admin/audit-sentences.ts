import type { AuditEntry } from '../audit/audit.ts';
import { OUTCOME_CHOICES, accessWords } from '../messages/session-words.ts';
import { bold, code, count, short, where, who, type Line, type Piece } from '../messages/text.ts';
import { isChannel, type Access, type Rule } from '../permissions/permissions.ts';
import type { RecordedChange } from '../workspaces/settings.ts';
import { RULE_TITLES } from './settings-list.ts';

/** A record, with the change of a setting read back where it is one. */
export type ShownRecord = AuditEntry & { readonly change?: RecordedChange | undefined };

const named = (id: string): Piece => (/^[CGD]/.test(id) ? where(id) : who(id));

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

const ACCESS_LEVELS: readonly Access[] = ['view', 'point', 'full'];

const chosen = (value: unknown): string | undefined =>
  OUTCOME_CHOICES.find(({ outcome }) => outcome === value)?.text;

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
  if (typeof found !== 'number') return ['searched'];
  return ['searched', found === 0 ? ' and found nothing' : ` and found ${count(found, 'result')}`];
}

function deleted(record: AuditEntry): Deed {
  const { detail } = record;
  const number = detail?.['count'];
  const many = typeof number === 'number' ? ` (${number.toLocaleString('en-US')})` : '';
  const what: Line =
    detail?.['what'] === 'all-offline' ? [` all offline customers${many}`] : [' ', visitorOf(record)];
  return tried(record, ['deleted', 'delete'], what);
}

function outcomeSet(record: AuditEntry): Deed {
  const { detail = {} } = record;
  const to = chosen(detail['to']);
  const from = chosen(detail['from']);
  return [
    'set the outcome',
    ' of ',
    visitorOf(record),
    '’s session',
    ...(to === undefined ? [] : [` to ${to}`]),
    ...(from === undefined ? [] : [` (was ${from})`]),
  ];
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
  return deed === undefined
    ? ['tried to set up', `${which} (${reason(outcome)})`]
    : [deed, `${which}${because}`];
}

function delivered({ outcome, detail }: AuditEntry): Deed {
  if (outcome === 'retried') return ['retried', ' a delivery'];
  if (outcome === 'dropped') return ['discarded', ' a delivery'];
  const act = detail?.['act'] === 'drop' ? 'discard' : 'retry';
  return [`tried to ${act}`, ` a delivery (${reason(outcome)})`];
}

/** Somebody looked at a list, or got it as a file. */
function listSeen({ outcome, detail }: AuditEntry, what: string, one: string): Deed {
  if (detail?.['file'] !== true) return ['looked at', ` ${what}`];
  const found = detail['found'];
  const names = detail['names'] === true ? ', with customers’ names' : '';
  const size = typeof found === 'number' ? ` (${count(found, one)}${names})` : '';
  return outcome === 'sent'
    ? ['got', ` ${what} as a file${size}`]
    : ['asked for', ' a file that Slack didn’t take'];
}

function onIt(record: AuditEntry): Deed {
  const visitor = visitorOf(record);
  switch (record.outcome) {
    case 'taken':
      return ['was on it', ': ', visitor, ' was waiting'];
    case 'released':
      return ['was no longer on it', ': ', visitor, ' was waiting'];
    default:
      return ['wanted to help', ' ', visitor, ' (someone else was on it)'];
  }
}

function onlineNotice(record: AuditEntry): Deed {
  const visitor = visitorOf(record);
  switch (record.outcome) {
    case 'set':
    case 'already':
      return ['asked to be told', ' when ', visitor, ' comes online'];
    case 'full':
      return ['asked to be told', ' when ', visitor, ' comes online (too many are awaited)'];
    case 'cancelled':
      return ['no longer wants to be told', ' when ', visitor, ' comes online'];
    case 'sent':
      return ['was told', ' that ', visitor, ' is online'];
    default:
      return ['wasn’t told', ' that ', visitor, ` is online (${reason(record.outcome)})`];
  }
}

function askedColleague(record: AuditEntry): Deed {
  const { outcome, detail = {} } = record;
  const { to, from, reason: hasReason } = detail;
  if (outcome === 'taken')
    return ['took the question to look at ', visitorOf(record), '’s screen from ', who(String(from ?? ''))];
  const colleague = typeof to !== 'string' ? 'a colleague' : isChannel(to) ? where(to) : who(to);
  const [act, why] =
    outcome === 'asked'
      ? ['asked', hasReason === true ? ', and said why' : '']
      : ['couldn’t ask', ` (${reason(outcome)})`];
  return [act, ' ', colleague, ' to look at ', visitorOf(record), `’s screen${why}`];
}

function followedUp(record: AuditEntry): Deed {
  const { outcome, detail = {} } = record;
  const about: Line = [' with ', visitorOf(record)];
  const { to, line } = detail;
  switch (outcome) {
    case 'set':
      return ['set a follow-up', ...about, line === true ? ', and said what to do' : ''];
    case 'later':
      return ['moved a follow-up', ...about];
    case 'handed':
      return ['handed on a follow-up', ...about, ...(typeof to === 'string' ? [' to ', who(to)] : [])];
    case 'done':
      return ['finished a follow-up', ...about];
    case 'sent':
      return ['was reminded', ' of a follow-up', ...about];
    default:
      return ['wasn’t reminded', ' of a follow-up', ...about, ` (${reason(outcome)})`];
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

function webhookChanged({ outcome, detail = {} }: AuditEntry): Deed {
  const { host } = detail;
  const which: Line = [' the webhook to ', typeof host === 'string' ? code(short(host, 80)) : 'an address'];
  return [WEBHOOK_DEEDS.get(outcome) ?? reason(outcome), ...which];
}

/** A rule may name hundreds; the file has them all. */
const LISTED = 5;

function listed<Entry>(entries: readonly Entry[], line: (entry: Entry) => Line): Line {
  const rest = entries.length - LISTED;
  const shown = entries.slice(0, LISTED).flatMap((entry, index) => [index === 0 ? '' : ', ', ...line(entry)]);
  return rest > 0 ? [...shown, ` and ${count(rest, 'other')}`] : shown;
}

function ruleWords({ members, ids }: Rule): Line {
  const everybody = members ? 'members' : 'admins';
  return ids.length === 0 ? [everybody] : [`${everybody}, `, ...listed(ids, (id) => [named(id)])];
}

function channelWords(accessLevels: Readonly<Record<string, Access>>): Line {
  const entries = Object.entries(accessLevels);
  if (entries.length === 0) return ['none'];
  return listed(entries, ([id, access]) => [named(id), ` ${accessWords(access)}`]);
}

const placeWords = (channelId: string | null): Line => [channelId === null ? 'none' : where(channelId)];
const hostWords = (account: { readonly host: string } | null): Line => [
  account === null ? 'none' : code(short(account.host, 80)),
];

const addressWords = (addresses: readonly string[]): Line =>
  addresses.length === 0 ? ['none'] : listed(addresses, (address) => [code(short(address, 80))]);

const fromTo = (title: string, to: Line, from: Line): Line => [bold(title), ' from ', ...from, ' to ', ...to];

const onOrOff = (is: boolean) => (is ? 'on' : 'off');

/** A change of a setting, after "changed": "*Maximum access* from full control to view only". */
function settingChangeWords(change: RecordedChange): Line {
  switch (change.setting) {
    case 'rule':
      return fromTo(RULE_TITLES[change.act], ruleWords(change.to), ruleWords(change.from));
    case 'maxAccess':
      return fromTo('Maximum access', [accessWords(change.to)], [accessWords(change.from)]);
    case 'defaultAccess':
      return fromTo('Default access', [accessWords(change.to)], [accessWords(change.from)]);
    case 'channelAccess':
      return fromTo('Channel overrides', channelWords(change.to), channelWords(change.from));
    case 'summaryChannel':
      return fromTo('Summary channel', placeWords(change.to), placeWords(change.from));
    case 'ticketPrefixes':
      return fromTo('Ticket addresses', addressWords(change.to), addressWords(change.from));
    case 'recordLinks':
      return fromTo('Customer records', addressWords(change.to), addressWords(change.from));
    case 'namesInFiles':
      return fromTo('Customers’ names in files', [onOrOff(change.to)], [onOrOff(change.from)]);
    case 'serviceAccount':
      return fromTo('Co-browsing account', hostWords(change.to), hostWords(change.from));
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

/** What someone did, after their name: "stopped jane4821’s session". Internal ids are only in the file. */
export function sentence(record: ShownRecord): Deed {
  const { action, outcome, detail = {} } = record;
  switch (action) {
    case 'search':
      return searched(record);
    case 'link': {
      const access = ACCESS_LEVELS.find((one) => one === detail['access']);
      const how = access === undefined ? '' : ` (${accessWords(access)})`;
      const ticket = short(String(detail['ticket'] ?? ''), 80);
      const about = ticket === '' ? '' : `, for a ticket on ${ticket}`;
      const screen: Line = [' ', visitorOf(record), `’s screen${how}${about}`];
      return tried(record, ['asked to see', 'see'], screen, outcome === 'given');
    }
    case 'proxy-link': {
      const site = short(String(detail['host'] ?? ''), 80) || 'a site';
      return tried(record, ['got', 'get'], [` a link for a session on ${site}`], outcome === 'given');
    }
    case 'refusal':
      return [`tried to ${ACTS.get(detail['act']) ?? 'do something'}`, ` (${reason(outcome)})`];
    case 'stop':
      return tried(record, ['stopped', 'stop'], [' ', visitorOf(record), '’s session']);
    case 'outcome':
      return outcomeSet(record);
    case 'note':
      return tried(record, ['added', 'add'], [' a note on ', visitorOf(record), '’s session']);
    case 'delete':
      return deleted(record);
    case 'setting':
      return changed(record);
    case 'subscription':
      return subscribed(record);
    case 'delivery':
      return delivered(record);
    case 'audit':
      return listSeen(record, 'the audit log', 'record');
    case 'sessions':
      return listSeen(record, 'ended sessions', 'session');
    case 'usage':
      return tried(record, ['looked at', 'look at'], [' the usage numbers']);
    case 'on-it':
      return onIt(record);
    case 'online-notice':
      return onlineNotice(record);
    case 'ask':
      return askedColleague(record);
    case 'follow-up':
      return followedUp(record);
    case 'webhook':
      return webhookChanged(record);
    case 'agent': {
      const agent = detail['agent'];
      const name: Line = typeof agent === 'string' ? [' agent ', code(short(agent, 80))] : [' an agent'];
      return tried(record, ['looked up', 'look up'], name);
    }
    default:
      return action satisfies never;
  }
}
