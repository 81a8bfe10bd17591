import leven from 'leven';
import { z } from 'zod';
import { needAccount, type CobrowseClient } from '../cobrowse/client.ts';
import { after, button, buttons, lines, message, notice, points } from '../messages/message.ts';
import { bold, code, say } from '../messages/text.ts';
import { defineCommand, definePress, entryLine, type Command } from './command.ts';
import type { Caller, Viewer } from './rights.ts';
import { typedText } from './typed.ts';

export const searchSyntax = [
  lines([bold('How to search')]),
  points(
    ['Any text: names and emails like it'],
    [code('jane@acme.com'), '  this email'],
    ['A link to the page a customer is on, or to the customer in the dashboard'],
    [
      code('jane https://acme.zendesk.com/agent/tickets/42'),
      '  with the ticket, which the session then links',
    ],
    [code('online'), ' or ', code('-online'), '  online or offline customers only'],
    [code('1234'), '  the four-digit lookup code a customer can read to you'],
    [code('#vip'), ' or ', code('tag:vip'), '  a tag'],
    [code('ip:1.1.1.1'), '  an IP address'],
    [code('id:42'), '  the unique ID from your site'],
    [code('integration_id:zendesk:42'), '  the ID in another system'],
  ),
];

function offeredBy(commands: readonly Command[], { offers }: Pick<CobrowseClient, 'offers'>) {
  const sessionEnds = offers.sessionEndWebhook || offers.lookupAgent;
  return commands.filter(
    ({ needs }) => needs === undefined || (needs === 'sessionEnds' ? sessionEnds : offers[needs]),
  );
}

export function nearest(word: string, commands: readonly Command[], { workspace }: Caller) {
  const [best] = offeredBy(commands, workspace.cobrowse)
    .map((command) => ({ command, distance: leven(word.toLowerCase(), command.name) }))
    .filter(({ command, distance }) => distance <= Math.max(1, Math.floor(command.name.length / 2)))
    .toSorted((a, b) => a.distance - b.distance);
  return best?.command;
}

export function createHelpCommand(others: readonly Command[], isAdmin: (who: Viewer) => Promise<boolean>) {
  const all = (): readonly Command[] => [...others, helpCommand];

  function overview({ workspace }: Caller) {
    // The answer then says how to connect an account.
    needAccount(workspace.cobrowse);
    const offered = offeredBy(others, workspace.cobrowse);
    const inMenu = offered.flatMap(({ shortcut }) => shortcut?.title ?? []).join(', ');
    const label = 'All commands and search tips';
    return message(
      lines(
        [bold('Find a customer')],
        say`Type what you know: ${code('/cobrowse jane')}, ${code('/cobrowse jane@acme.com')} or the code the customer sees on the page, like ${code('/cobrowse 4821')}.`,
      ),
      lines([bold('Commands')]),
      points(...offered.filter(({ level }) => level === 'everyday').map(entryLine)),
      lines(
        inMenu !== '' && say`In a message’s menu: ${bold(inMenu)}.`,
        say`For one command: ${code('/cobrowse help find')}.`,
      ),
      buttons(button({ text: 'All commands', actionId: 'help_more', label })),
    );
  }

  async function everything(caller: Caller) {
    const offered = offeredBy(all(), caller.workspace.cobrowse);
    // If Slack can't be asked, the rest is still worth showing.
    const isTheirs = await isAdmin(caller).catch(() => false);
    const forAdmins = offered.filter(({ level }) => isTheirs && level === 'admin');
    return message(
      lines([bold('All commands')]),
      points(...offered.filter(({ level }) => level !== 'admin').map(entryLine)),
      forAdmins.length > 0 && lines([bold('For admins')]),
      forAdmins.length > 0 && points(...forAdmins.map(entryLine)),
      ...searchSyntax,
    );
  }

  const helpCommand: Command = defineCommand({
    name: 'help',
    usage: 'help [command]',
    summary: 'List the commands, or explain one',
    right: 'everybody',
    argument: typedText.transform((text) => text.replace(/^\/cobrowse\s+/i, '')),
    async run(text, caller) {
      const [word = ''] = text.split(' ', 1);
      const named = all().find(({ name }) => name === word.toLowerCase());
      if (named !== undefined) return named.help();
      if (word === '') return overview(caller);
      const guess = nearest(word, all(), caller);
      const meant = guess && say` Did you mean ${code(`/cobrowse ${guess.usage}`)}?`;
      return after(notice(say`I don’t know that command.${meant}`), overview(caller));
    },
    presses: [
      definePress({
        actionId: 'help_more',
        answer: 'replace',
        right: 'everybody',
        value: z.string(),
        run: (_value, caller) => everything(caller),
      }),
    ],
  });
  return helpCommand;
}
