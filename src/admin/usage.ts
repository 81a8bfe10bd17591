import type { Usage } from '../cobrowse/schemas.ts';
import { defineCommand } from '../commands/command.ts';
import { nothing } from '../commands/typed.ts';
import { lines, message, type Message } from '../messages/message.ts';
import { bold, duration, type Line } from '../messages/text.ts';
import type { App } from '../parts.ts';

function line(
  label: string,
  facts: readonly (readonly [number: number | undefined, words: string])[],
  shown = (number: number) => number.toLocaleString('en-US'),
): Line[] {
  const known = facts.flatMap(([number, words]) => (number === undefined ? [] : `${shown(number)} ${words}`));
  return known.length === 0 ? [] : [[bold(`${label}: `), known.join(', ')]];
}

const LAST_DAY = 'in the last 24 hours';
const LAST_MONTH = 'in the last 30 days';

/** The account's numbers. Those the service doesn't report are left out. */
export function usageLines({ agents, session_counts, session_seconds, visitors }: Usage): readonly Line[] {
  const facts = [
    ...line('Customers', [
      [visitors?.online_now, 'online now'],
      [visitors?.last_24_hrs, LAST_DAY],
    ]),
    ...line('Sessions', [
      [session_counts?.now, 'running now'],
      [session_counts?.today, LAST_DAY],
      [session_counts?.last_30_days, LAST_MONTH],
    ]),
    ...line(
      'Time in sessions',
      [
        [session_seconds?.today, LAST_DAY],
        [session_seconds?.last_30_days, LAST_MONTH],
      ],
      duration,
    ),
    ...line('Agents', [
      [agents?.today, LAST_DAY],
      [agents?.last_30_days, LAST_MONTH],
    ]),
  ];
  return facts.length === 0 ? [['No usage numbers are available.']] : facts;
}

export const usageCard = (usage: Usage): Message =>
  message(lines([bold('Co-browsing account usage')], ...usageLines(usage)));

export const createUsageCommand = ({ recording }: Pick<App, 'recording'>) =>
  defineCommand({
    name: 'usage',
    usage: 'usage',
    summary: 'Show account usage',
    tool: {
      name: 'account_usage',
      description: 'Shows how many customers, sessions and agents the account had lately.',
    },
    right: 'usage',
    needs: 'usage',
    argument: nothing('Usage is always of now, the last 24 hours and the last 30 days.'),
    async run(_nothing, caller) {
      const { cobrowse } = caller.workspace;
      return usageCard(await recording.around(caller, { action: 'usage' }, () => cobrowse.usage()));
    },
  });
