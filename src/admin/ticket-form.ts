import { inputs } from '../commands/inputs.ts';
import { ticketPrefix } from '../commands/ticket-links.ts';
import { holdsWatchLink } from '../commands/typed.ts';
import { TICKET_FORM as FORM } from '../messages/action-ids.ts';
import { done } from '../messages/message.ts';
import type { FormContent } from '../messages/modal.ts';
import type { SettingsRepository } from '../workspaces/settings.ts';
import type { AdminForm } from './home-buttons.ts';
import { forAdmins, saveSetting, ticketLine } from './settings-list.ts';

const MOST = 20;
const LONGEST = 3_000;
const EXAMPLE = 'https://acme.zendesk.com/agent/tickets';
const EXAMPLES = `${EXAMPLE} or https://acme.atlassian.net/browse or https://acme.freshdesk.com/a/tickets`;

const addresses = inputs(FORM.input).text(FORM.addressesBlock, 'Ticket addresses', {
  hint: `What your helpdesk’s tickets begin with, one per line, such as ${EXAMPLES}. A session that starts from a link to a ticket then links it.`,
  optional: true,
  multiline: true,
  most: LONGEST,
});

const ticketForm = (text: string): FormContent => ({ submit: 'Save', blocks: [addresses.show(text)] });

const linesOf = (typed: string) =>
  typed
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

const asKept = (typed: string) => [...new Set(linesOf(typed).flatMap((line) => ticketPrefix(line) ?? []))];

function complaintAbout(text: string): string | undefined {
  const typed = linesOf(text);
  if (typed.length > MOST) return `At most ${MOST} addresses, please.`;
  const wrong = typed.find((line) => ticketPrefix(line) === undefined);
  if (wrong !== undefined)
    return `“${wrong.slice(0, 60)}” can’t be used. Type an https address like ${EXAMPLE}, without a user name, “..”, “?” or “#”.`;
  // They're longer than what was typed where a host has letters of another script. The form has to open with them again.
  const isTooLong = asKept(text).join('\n').length > LONGEST;
  return isTooLong ? `At most ${LONGEST} characters in all, please.` : undefined;
}

/**
 * What the addresses of the helpdesk's tickets begin with, for the workspace's admins.
 *
 * @param watchHostsOf those that watch links lead to: no ticket is taken there
 */
export const createTicketForm = (
  settings: SettingsRepository,
  watchHostsOf: (workspaceId: string) => Promise<readonly string[]>,
): AdminForm => ({
  callbackId: FORM.callbackId,
  right: () => forAdmins('ticket-addresses'),
  async open({ workspaceId }) {
    const { settings: own, kept } = await settings.read(workspaceId);
    const form = ticketForm(own.ticketPrefixes.join('\n'));
    return { title: 'Ticket addresses', form, seen: String(kept('ticketPrefixes').version) };
  },
  complaints: (filled) => ({ [addresses.block]: complaintAbout(addresses.read(filled)) }),
  async save(viewer, filled, _about, seen) {
    const typed = addresses.read(filled);
    const to = asKept(typed);
    const hosts = await watchHostsOf(viewer.workspaceId);
    const ours = to.find((prefix) => holdsWatchLink(`${prefix}1`, hosts));
    if (ours !== undefined) {
      const wrong = `Watch links look like “${ours.slice(0, 60)}”, so it can’t be used.`;
      return { complaints: { [addresses.block]: wrong }, again: ticketForm(typed) };
    }
    return saveSetting(settings, viewer, {
      name: 'ticketPrefixes',
      seen,
      from: ({ ticketPrefixes }) => ticketPrefixes,
      to,
      saved: done(['Saved. Applies to new sessions.'], ticketLine({ ticketPrefixes: to })),
      now: ticketLine,
    });
  },
});
