import { lines, message, refusal, status, type Message } from '../messages/message.ts';
import { bold, channel, code, count, link, short, type Line } from '../messages/text.ts';

/** The result of one check of the setup. Contains no secret and no channel name. */
export interface Finding {
  /** What was checked, in two or three words. */
  readonly about: string;
  readonly state: 'ok' | 'warning' | 'failure';
  /** What was found, as a sentence. */
  readonly says: string;
  /** What to do; set for everything that isn't ok. */
  readonly next?: string;
  /** Where `next` leads. */
  readonly url?: string;
  /** The channel it's about, shown as a mention: only its members see its name. */
  readonly channelId?: string;
}

const STATES = ['failure', 'warning', 'ok'] as const;
const WORDS = { failure: 'Failure · ', warning: 'Warning · ', ok: '' } as const;

/** A finding, and what to do. */
export function findingLine({ about, state, says, next, url, channelId }: Finding): Line {
  const where = channelId === undefined ? [] : [channel(channelId), ' '];
  const words = next === undefined ? '' : short(next, 400);
  const todo = url === undefined ? words : link(url, words);
  return [
    bold(`${WORDS[state]}${about}: `),
    ...where,
    short(says, 400),
    ...(next === undefined ? [] : [' ', todo]),
  ];
}

/** How many of each, the worst first. */
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

/** The doctor names channels and addresses that not everyone can see. */
export function adminsOnlyCommand(): Message {
  return refusal(
    ['Only workspace admins and owners can run this.'],
    ['Ask one of them. On the app’s server, ', code('npm run doctor'), ' does the same.'],
  );
}
