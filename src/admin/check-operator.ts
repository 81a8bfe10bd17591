import { randomUUID } from 'node:crypto';
import { request, type Dispatcher } from 'undici';
import { z } from 'zod';
import { codeOf } from '../cobrowse/errors.ts';
import { jsonText } from '../commands/command.ts';
import { diskOf, filesOpenToOthers } from '../database/sqlite-file.ts';
import { DatabaseError } from '../database/database.ts';
import { sqliteFile } from '../database/open.ts';
import type { TicketKind } from '../http/tickets.ts';
import { count, given, type Maybe } from '../messages/text.ts';
import { PROBE_TICKET_MS, type Probe } from '../sessions/webhook.ts';
import type { Installs } from '../workspaces/installs.ts';
import { looksLikeSigningSecret } from '../workspaces/web-client.ts';
import { appTokenCheck, type SlackSetup } from './checks.ts';
import { check, failure, ok, warning, type Check, type Found } from './findings.ts';

/* What the operator has set up, for all workspaces. */

const TIME_LIMIT_MS = 10_000;

/** HTTP gives the time in whole seconds, and the request itself takes some time. */
const UNSURE_MS = 2_000;
const WARN_AFTER_MS = 30_000;
/** Slack's requests are valid for five minutes, so past four some are refused. Source: Verifying requests from Slack. */
const FAIL_AFTER_MS = 240_000;

interface ClockCheckParts extends Pick<OperatorParts, 'dispatcher' | 'now'> {
  /** For example "Slack’s" or "the co-browsing service’s". */
  readonly whose: string;
  /** Requested without a key: only the Date header of the answer matters, whatever its status. */
  readonly url: string;
}

/** How far the other side's clock is ahead of ours, in milliseconds; NaN if it doesn't send the time. */
async function skewAgainst({ url, now, dispatcher }: ClockCheckParts): Promise<number> {
  const asked = now();
  const { headers, body } = await request(url, { dispatcher, signal: AbortSignal.timeout(TIME_LIMIT_MS) });
  const answered = now();
  await body.dump();
  // A time in whole seconds is half a second behind on average.
  return Date.parse(String(headers['date'])) + 500 - (asked + answered) / 2;
}

export const clockCheck = (parts: ClockCheckParts): Check =>
  check('Clock', async () => {
    const { whose } = parts;
    const skewMs = await skewAgainst(parts).catch(() => Number.NaN);
    if (Number.isNaN(skewMs))
      return warning(
        `${whose[0]?.toUpperCase()}${whose.slice(1)} time couldn’t be read.`,
        'See the other checks for whether it can be reached at all.',
      );
    const apart = Math.abs(skewMs);
    const seconds = Math.round(apart / 1_000);
    if (apart <= WARN_AFTER_MS) {
      const close = apart <= UNSURE_MS ? 'the same' : `${seconds} seconds apart`;
      return ok(`This machine’s clock and ${whose} clock are ${close}.`);
    }
    const wrong = apart > FAIL_AFTER_MS ? failure : warning;
    return wrong(
      `This machine’s clock is ${seconds} seconds ${skewMs > 0 ? 'behind' : 'ahead of'} ${whose} clock.`,
      'Synchronize the clock with NTP. Beyond one minute, Watch stops working; beyond five, everything from Slack does, and summaries go to the wrong links.',
    );
  });

const ProbeAnswer = jsonText.pipe(z.object({ status: z.literal('ok'), probe: z.string() }));

interface PublicAddressParts extends Pick<OperatorParts, 'publicUrl' | 'dispatcher'> {
  /** Seals a word into a ticket. The app's webhook route answers with the word after writing to its database. */
  readonly issueProbe: (word: string) => string;
}

const post = (url: string, dispatcher: Dispatcher) =>
  request(url, {
    method: 'POST',
    dispatcher,
    headers: { 'content-type': 'application/json' },
    body: '{}',
    signal: AbortSignal.timeout(TIME_LIMIT_MS),
  });

async function probe(url: string, { issueProbe, dispatcher }: PublicAddressParts): Promise<Found> {
  const word = randomUUID();
  const { statusCode, body } = await post(`${url}/webhooks/session-end/${issueProbe(word)}`, dispatcher);
  const answer = ProbeAnswer.safeParse(await body.text());
  if (statusCode === 200 && answer.data?.probe === word)
    return ok('A test webhook reached an app with these SECRET_KEYS and was stored.');
  if (statusCode === 503)
    return failure(
      'A test webhook arrived but couldn’t be stored.',
      'See the checks of the database for why.',
    );
  return failure(
    statusCode === 404
      ? 'Something answers there, but not this app with these SECRET_KEYS.'
      : `Something else answers there, with status ${statusCode}.`,
    'Check PUBLIC_URL, the proxy in front of the app, and whether the app runs with the same SECRET_KEYS.',
  );
}

const causeOf = (error: unknown) => codeOf(error) ?? (error instanceof Error ? error.name : 'no answer');

/** Covers the name, certificate, proxy, keys and database. Another app with the same keys would answer, too. */
export const publicAddressCheck = (parts: PublicAddressParts): Check =>
  check('Public address', async () => {
    const { publicUrl } = parts;
    if (publicUrl === undefined)
      return ok('None set. Watch takes two steps, and the app looks up ended sessions itself.');
    return probe(publicUrl, parts).catch((error: unknown) =>
      failure(
        `It can’t be reached from this machine (${causeOf(error)}).`,
        'Check PUBLIC_URL, its DNS name, its certificate, and whether the app runs behind it.',
      ),
    );
  });

/** Asked without a signature: its refusal shows that the app itself is there. */
const slackbotCheck = (publicUrl: string, dispatcher: Dispatcher): Check =>
  check('Slackbot', async () => {
    const url = `${publicUrl}/mcp`;
    const answer = await post(url, dispatcher).catch(() => undefined);
    await answer?.body.dump();
    return answer?.statusCode === 401
      ? ok('The app answers at its address.')
      : warning(
          `The app doesn’t answer at ${url}, where Slackbot asks.`,
          'If people are to ask Slackbot, let the proxy in front of the app pass on POST /mcp.',
        );
  });

/** @param unfitSince since when no request of Slack's has fitted it, milliseconds since 1970; undefined if one has, or none came */
export const signingSecretCheck = (secret: string, unfitSince: () => Promise<number | undefined>): Check =>
  check('Signing secret', async () => {
    const next =
      'Copy the Signing Secret from Basic Information on the app’s page into SLACK_SIGNING_SECRET, then restart the app.';
    const since = await unfitSince();
    if (since !== undefined) {
      const time = new Date(since).toISOString().slice(0, 16).replace('T', ' ');
      return failure(`No request from Slack has fitted it since ${time} UTC.`, next);
    }
    return looksLikeSigningSecret(secret)
      ? ok('No request from Slack was refused because of it.')
      : warning('It doesn’t look like one of Slack’s, which are 32 letters and digits.', next);
  });

/** Which workspaces there are, and whether their secrets can be opened: for whoever runs the app for many. */
export const workspacesCheck = (installs: Pick<Installs, 'counts' | 'missingKeys'>): Check =>
  check('Workspaces', async () => {
    const { installed, refused, gone, organizations, reinstall } = await installs.counts();
    const missing = await installs.missingKeys();
    const others = given([
      refused > 0 && `, ${refused} with a refused token`,
      gone > 0 && `, ${gone} gone`,
      organizations > 0 && `; ${count(organizations, 'organization')}`,
    ]);
    return [
      ok(`${installed} installed${others.join('')}`),
      ...given([
        reinstall > 0 &&
          failure(
            `${count(reinstall, 'workspace')} can’t be served: Slack gave no new token.`,
            'Ask an admin of each to install the app again: npm run workspaces names them, and docs/many-workspaces.md the address.',
          ),
      ]),
      ...missing.map(({ key, workspaces }) =>
        failure(
          `${count(workspaces, 'workspace')} can’t be served: the key ${key} isn’t in SECRET_KEYS.`,
          'Put it back after the newest, restart the app, and run npm run rotate-keys before you remove it again.',
        ),
      ),
    ];
  });

const MIB = 1_048_576;
const WARN_BELOW_BYTES = 1_024 * MIB;
const FAIL_BELOW_BYTES = 100 * MIB;

interface StoreCheckParts extends Pick<OperatorParts, 'storeUrl'> {
  /** Checks that the database can be written to. Rejects with a DatabaseError. */
  readonly check: () => Promise<void>;
  readonly isNew: boolean;
}

function sound({ storeUrl, isNew }: StoreCheckParts): Found {
  if (storeUrl === 'memory:')
    return warning(
      'It’s in memory: waiting summaries and the audit log are lost when the app stops.',
      'Set STORE_URL=sqlite:data/cobrowse.db.',
    );
  return isNew
    ? warning(
        'Its file didn’t exist, so a new, empty one was created.',
        'Expected on the first start. Otherwise check the path in STORE_URL and the working directory.',
      )
    : ok('writable');
}

function unsound(error: unknown): Found {
  if (!(error instanceof DatabaseError)) throw error;
  return error.kind === 'corrupt'
    ? failure('Its file is damaged.', 'Stop the app and restore a backup: docs/operations.md says how.')
    : failure('The app can’t write to it.', error.message);
}

export function storeChecks(parts: StoreCheckParts): readonly Check[] {
  const file = sqliteFile(parts.storeUrl);
  const written = check('Database', () => parts.check().then(() => sound(parts), unsound));
  if (file === undefined) return [written];
  return [
    written,
    check('Database file', async () => {
      const [open] = await filesOpenToOthers(file);
      if (open === undefined) return ok('private to the app’s user');
      return warning(
        `Other users of this machine can open it (mode ${open.mode.toString(8)}).`,
        'Restart the app to fix it; if that fails, make the app’s user the file’s owner.',
      );
    }),
    check('Disk', async () => {
      const { freeBytes: free } = await diskOf(file);
      const says = `${Math.floor(free / MIB).toLocaleString('en-US')} MiB free where the database is`;
      if (free >= WARN_BELOW_BYTES) return ok(says);
      const little = free < FAIL_BELOW_BYTES ? failure : warning;
      return little(says, 'Free some space: on a full disk the app can’t accept anything.');
    }),
  ];
}

export interface OperatorParts {
  readonly storeUrl: string;
  readonly slack: Pick<SlackSetup, 'apiUrl' | 'appToken'>;
  /** Without a slash at the end; undefined if there is none, which Socket Mode allows. */
  readonly publicUrl: string | undefined;
  readonly probeTickets: TicketKind<Probe>;
  readonly serviceUrl: string | undefined;
  /** How everybody else is reached. */
  readonly dispatcher: Dispatcher;
  readonly store: Omit<StoreCheckParts, 'storeUrl'>;
  readonly now: () => number;
}

export const operatorChecks = (parts: OperatorParts): readonly Maybe<Check>[] => {
  const { slack, publicUrl, serviceUrl, probeTickets, store, storeUrl } = parts;
  const issueProbe = (word: string) => probeTickets.issue({ word }, PROBE_TICKET_MS);
  return [
    slack.appToken && appTokenCheck(slack.appToken),
    clockCheck({ ...parts, whose: 'Slack’s', url: `${slack.apiUrl}api.test` }),
    serviceUrl !== undefined && clockCheck({ ...parts, whose: 'the co-browsing service’s', url: serviceUrl }),
    publicAddressCheck({ ...parts, issueProbe }),
    // Not in Socket Mode.
    publicUrl !== undefined && slack.appToken === undefined && slackbotCheck(publicUrl, parts.dispatcher),
    ...storeChecks({ ...store, storeUrl }),
  ];
};
