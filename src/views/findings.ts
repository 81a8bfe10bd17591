import { lines, message, notice } from './message.ts';
import type { Message } from './message.ts';
import { bold, channel, code } from './rich-text.ts';
import type { Line } from './rich-text.ts';
import { count, short } from './text.ts';

/** What one examination of the installation found. Holds no secret and no name of a channel. */
export interface Finding {
  /** What was looked at, in two or three words. */
  readonly about: string;
  readonly state: 'ok' | 'warning' | 'failure';
  /** What was found, as a sentence. */
  readonly says: string;
  /** What to do; there for everything that is not ok. */
  readonly next?: string;
  /** The channel it is about: shown as a mention, which tells its name to its members only. */
  readonly channelId?: string;
}

const STATES = ['failure', 'warning', 'ok'] as const;
const WORDS = { failure: 'Failure', warning: 'Warning', ok: 'OK' } as const;

function lineOf({ about, state, says, next, channelId }: Finding): Line {
  const where = channelId === undefined ? [] : [channel(channelId), ' '];
  const todo = next === undefined ? '' : ` ${short(next, 400)}`;
  return [bold(`${WORDS[state]}: ${about}. `), ...where, `${short(says, 400)}${todo}`];
}

/** How many of each, the worst first. */
export function findingCounts(findings: readonly Finding[]): string {
  const failures = findings.filter(({ state }) => state === 'failure').length;
  const warnings = findings.filter(({ state }) => state === 'warning').length;
  if (failures + warnings === 0) return `All ${count(findings.length, 'check')} are ok.`;
  return `${count(failures, 'failure')}, ${count(warnings, 'warning')}, ${findings.length} checks.`;
}

/** The findings, the worst first, each with its state as a word. */
export function findingsReport(findings: readonly Finding[]): Message {
  const sorted = STATES.flatMap((state) => findings.filter((finding) => finding.state === state));
  return message(lines([bold(findingCounts(findings))]), lines(...sorted.map(lineOf)));
}

/** The doctor speaks of channels and addresses: not for everybody. */
export function adminsOnlyCommand(): Message {
  return notice(
    ['This is for admins and owners of this workspace.'],
    ['Ask one of them; whoever runs the app can type ', code('npm run doctor'), '.'],
  );
}
