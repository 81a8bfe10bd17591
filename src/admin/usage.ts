import type { Usage } from '../cobrowse/schemas.ts';
import type { Recording } from '../audit/recording.ts';
import { defineCommand } from '../commands/command.ts';
import { nothing } from '../commands/typed.ts';
import { lines, message, type Message } from '../messages/message.ts';
import { bold, duration, type Line } from '../messages/text.ts';

function line(label: string, parts: readonly (string | undefined)[]): Line[] {
  const known = parts.filter((part) => part !== undefined);
  return known.length === 0 ? [] : [[bold(`${label}: `), known.join(', ')]];
}

function inWords(number: number | undefined, words: (number: number) => string): string | undefined {
  return number === undefined ? undefined : words(number);
}

const shown = (number: number) => number.toLocaleString('en-US');

/** The account's numbers. Those the service doesn't report are left out. */
export function usageLines(usage: Usage): readonly Line[] {
  const { agents, session_counts: sessions, session_seconds: seconds, visitors } = usage;
  const facts = [
    ...line('Customers', [
      inWords(visitors?.online_now, (n) => `${shown(n)} online now`),
      inWords(visitors?.last_24_hrs, (n) => `${shown(n)} in the last 24 hours`),
    ]),
    ...line('Sessions', [
      inWords(sessions?.now, (n) => `${shown(n)} running now`),
      inWords(sessions?.today, (n) => `${shown(n)} in the last 24 hours`),
      inWords(sessions?.last_30_days, (n) => `${shown(n)} in the last 30 days`),
    ]),
    ...line('Time in sessions', [
      inWords(seconds?.today, (n) => `${duration(n)} in the last 24 hours`),
      inWords(seconds?.last_30_days, (n) => `${duration(n)} in the last 30 days`),
    ]),
    ...line('Agents', [
      inWords(agents?.today, (n) => `${shown(n)} in the last 24 hours`),
      inWords(agents?.last_30_days, (n) => `${shown(n)} in the last 30 days`),
    ]),
  ];
  return facts.length === 0 ? [['No usage numbers are available.']] : facts;
}

/** {@link usageLines} as an answer. */
export function usageCard(usage: Usage): Message {
  return message(lines([bold('Co-browsing account usage')], ...usageLines(usage)));
}

export const createUsageCommand = ({ around }: Pick<Recording, 'around'>) =>
  defineCommand({
    name: 'usage',
    usage: 'usage',
    summary: 'Show account usage',
    right: 'usage',
    needs: 'usage',
    argument: nothing('Usage is always of now, the last 24 hours and the last 30 days.'),
    async run(_nothing, caller) {
      const { cobrowse } = caller.workspace;
      return usageCard(await around(caller, { action: 'usage' }, () => cobrowse.usage()));
    },
  });
