import { ticketPrefix } from '../commands/ticket-links.ts';
import { holdsWatchLink } from '../commands/typed.ts';
import type { Filled } from '../commands/form.ts';
import { TICKET_FORM as FORM } from '../messages/action-ids.ts';
import { field } from '../messages/form-fields.ts';
import { done, problem } from '../messages/message.ts';
import type { FormContent } from '../messages/modal.ts';
import type { SettingsRepository } from '../workspaces/settings.ts';
import type { AdminForm } from './home-buttons.ts';
import { SeenVersion } from './rule-form.ts';
import { whoChanged } from './rule-list.ts';
import { forAdmins, ticketLines } from './settings-list.ts';

const MOST = 20;
const LONGEST = 3_000;
const EXAMPLES = [
  'https://acme.zendesk.com/agent/tickets',
  'https://acme.atlassian.net/browse',
  'https://acme.freshdesk.com/a/tickets',
];

function ticketForm(text: string): FormContent {
  return {
    submit: 'Save',
    blocks: [
      field({
        block: FORM.addressesBlock,
        label: 'Ticket addresses',
        hint: `What your helpdesk’s tickets begin with, one per line, such as ${EXAMPLES.join(' or ')}. A session that starts from a link to a ticket then links it.`,
        optional: true,
        element: {
          type: 'plain_text_input',
          action_id: FORM.input,
          multiline: true,
          max_length: LONGEST,
          ...(text === '' ? {} : { initial_value: text }),
        },
      }),
    ],
  };
}

const linesIn = (filled: Filled): readonly string[] =>
  (filled[FORM.addressesBlock]?.[0] ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

const complaintAbout = (words: string) => ({ [FORM.addressesBlock]: words });

const asKept = (typed: readonly string[]): readonly string[] => [
  ...new Set(typed.flatMap((line) => ticketPrefix(line) ?? [])),
];

/** What is wrong with the form, by block; empty if nothing is. */
function complaintsIn(filled: Filled): Readonly<Record<string, string>> {
  const typed = linesIn(filled);
  if (typed.length > MOST) return complaintAbout(`At most ${MOST} addresses, please.`);
  const wrong = typed.find((line) => ticketPrefix(line) === undefined);
  if (wrong !== undefined)
    return complaintAbout(
      `“${wrong.slice(0, 60)}” can’t be used. Type an https address like ${EXAMPLES[0]}, without a user name, “..”, “?” or “#”.`,
    );
  // They're longer than what was typed where a host has letters of another script. The form has to open with them again.
  return asKept(typed).join('\n').length > LONGEST
    ? complaintAbout(`At most ${LONGEST} characters in all, please.`)
    : {};
}

/** What the addresses of the helpdesk's tickets begin with, for the workspace's admins. */
export function createTicketForm({
  settings,
  watchHostsOf,
}: {
  readonly settings: SettingsRepository;
  /** Those that watch links lead to: no ticket is taken there. */
  readonly watchHostsOf: (workspaceId: string) => Promise<readonly string[]>;
}): AdminForm {
  return {
    callbackId: FORM.callbackId,
    right: () => forAdmins('ticket-addresses'),
    async open({ workspaceId }) {
      const { settings: own, kept } = await settings.read(workspaceId);
      return {
        title: 'Ticket addresses',
        form: ticketForm(own.ticketPrefixes.join('\n')),
        seen: String(kept('ticketPrefixes').version),
      };
    },
    complaints: complaintsIn,
    async save({ workspaceId, userId }, filled, _about, seen) {
      const to = asKept(linesIn(filled));
      const hosts = await watchHostsOf(workspaceId);
      const ours = to.find((prefix) => holdsWatchLink(`${prefix}1`, hosts));
      if (ours !== undefined)
        return {
          complaints: complaintAbout(`Watch links look like “${ours.slice(0, 60)}”, so it can’t be used.`),
          again: ticketForm(linesIn(filled).join('\n')),
        };
      const { settings: own, kept } = await settings.read(workspaceId);
      const from = own.ticketPrefixes;
      const version = SeenVersion.parse(seen) ?? kept('ticketPrefixes').version;
      const isSame = JSON.stringify(from) === JSON.stringify(to);
      const recorded = isSame ? {} : { recorded: { setting: 'ticketPrefixes', from, to } };
      const change = { name: 'ticketPrefixes', value: to, version, ...recorded };
      const outcome = await settings.change({ workspaceId, userId }, change);
      if (outcome === 'changed')
        return { saved: done(['Saved. Applies to new sessions.'], ...ticketLines(to)) };
      const { ticketPrefixes } = await settings.of(workspaceId);
      return problem(
        [whoChanged(outcome.by), ' changed this while your form was open, so your change wasn’t saved.'],
        ...ticketLines(ticketPrefixes),
        ['To make your change, press Settings again.'],
      );
    },
  };
}
