import { inTime } from '../lifecycle/repeating.ts';
import { lines, message, status, type Message } from '../messages/message.ts';
import { VERSION } from '../version.ts';
import { bold, channel, count, given, link, short, type Line, type Maybe } from '../messages/text.ts';

/** The result of one check of the setup. Contains no secret and no channel name. */
export interface Finding {
  readonly about: string;
  readonly state: 'ok' | 'warning' | 'failure';
  readonly says: string;
  /** What to do; set for everything that isn't ok. */
  readonly next?: string;
  readonly url?: string;
  /** The channel it's about, shown as a mention: only its members see its name. */
  readonly channelId?: string;
}

/** A finding about what its check is about, unless it names something else. */
export type Found = Omit<Finding, 'about'> & { readonly about?: string };

export const ok = (says: string): Found => ({ state: 'ok', says });
export const warning = (says: string, next: string): Found => ({ state: 'warning', says, next });
export const failure = (says: string, next: string): Found => ({ state: 'failure', says, next });

/** Checks one thing. Returns a failure as a finding where it can, instead of rejecting. */
export interface Check {
  readonly about: string;
  readonly run: () => Promise<readonly Finding[]>;
}

export const check = (about: string, run: () => Promise<Found | readonly Found[]>): Check => ({
  about,
  run: async () => [await run()].flat().map((found) => ({ about, ...found })),
});

/** Longer than the time limits of the checks, and short enough for a person who waits. */
const PATIENCE_MS = 15_000;

const LATE = new Error('No answer in time.');

const unforeseen = (error: unknown): Found =>
  error === LATE
    ? failure(
        LATE.message,
        'Try again. If this keeps happening, check the network between the app and the service.',
      )
    : // Only the class: a message could repeat an address or a key.
      failure(
        `This check failed (${error instanceof Error ? error.name : 'Error'}).`,
        'Check the app’s log, then try again.',
      );

/** Runs all checks at the same time. Never rejects, and ends even if a check doesn't. */
export async function examine(checks: readonly Check[], patienceMs = PATIENCE_MS) {
  const found = await Promise.all(
    checks.map(({ about, run }) =>
      inTime(run(), patienceMs, LATE).catch((error: unknown) => [{ about, ...unforeseen(error) }]),
    ),
  );
  return found.flat();
}

/** All findings, for whoever set the app up. Never rejects. @param warnings of the settings, in words */
export const examineSetup = async (
  warnings: readonly string[],
  checks: readonly Maybe<Check>[],
): Promise<readonly Finding[]> => [
  { about: 'Version', state: 'ok', says: `${VERSION}, on Node ${process.versions.node}` },
  ...warnings.map((says) => ({
    about: 'Settings',
    ...warning(`${says}.`, 'docs/security.md says what is safe.'),
  })),
  ...(await examine(given(checks))),
];

const STATES = ['failure', 'warning', 'ok'] as const;
const WORDS = { failure: 'Failure · ', warning: 'Warning · ', ok: '' } as const;

export function findingLine({ about, state, says, next, url, channelId }: Finding): Line {
  const where = channelId === undefined ? [] : [channel(channelId), ' '];
  const todo = next === undefined ? '' : short(next, 400);
  return [
    bold(`${WORDS[state]}${about}: `),
    ...where,
    short(says, 400),
    ...(todo === '' ? [] : [' ', url === undefined ? todo : link(url, todo)]),
  ];
}

export function findingCounts(findings: readonly Finding[]): string {
  const failures = findings.filter(({ state }) => state === 'failure').length;
  const warnings = findings.filter(({ state }) => state === 'warning').length;
  if (failures + warnings === 0) return `All ${count(findings.length, 'check')} passed.`;
  return `${count(failures, 'failure')}, ${count(warnings, 'warning')}, ${count(findings.length, 'check')}.`;
}

/** The findings, worst first. What isn't ok says so in a word. */
export function findingsReport(findings: readonly Finding[]): Message {
  const sorted = STATES.flatMap((state) => findings.filter((finding) => finding.state === state));
  const kind = findings.every(({ state }) => state === 'ok') ? 'done' : 'problem';
  return message(status(kind, [[bold(findingCounts(findings))]]), lines(...sorted.map(findingLine)));
}
