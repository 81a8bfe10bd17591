import { inputs } from '../commands/inputs.ts';
import { exampleOf, recordTemplate } from '../commands/record-links.ts';
import { ticketPrefix } from '../commands/ticket-links.ts';
import { holdsWatchLink } from '../commands/typed.ts';
import { done } from '../messages/message.ts';
import type { FormContent } from '../messages/modal.ts';
import type { SettingsRepository, WorkspaceSettings } from '../workspaces/settings.ts';
import type { AdminForm } from './home-buttons.ts';
import { forAdmins, recordLine, saveSetting, ticketLine } from './settings-list.ts';

const LONGEST = 3_000;

interface Lines {
  readonly setting: 'ticketPrefixes' | 'recordLinks';
  readonly callbackId: string;
  /** For the audit, where somebody may not. */
  readonly act: string;
  readonly title: string;
  readonly hint: string;
  readonly most: number;
  /** A line as it's kept; undefined if it's none. */
  readonly read: (line: string) => string | undefined;
  readonly instead: string;
  /** An address that a kept line leads to. */
  readonly leadsTo: (kept: string) => string;
  readonly line: typeof ticketLine;
  readonly saved: string;
}

const DESKS = [
  'https://acme.zendesk.com/agent/tickets',
  'https://acme.atlassian.net/browse',
  'https://acme.freshdesk.com/a/tickets',
];

const tickets: Lines = {
  setting: 'ticketPrefixes',
  callbackId: 'home_ticket_form',
  act: 'ticket-addresses',
  title: 'Ticket addresses',
  hint: `What your helpdesk’s tickets begin with, one per line, such as ${DESKS.join(' or ')}. A session that starts from a link to a ticket then links it.`,
  most: 20,
  read: ticketPrefix,
  instead: `Type an https address like ${DESKS[0]}, without a user name, “..”, “?” or “#”.`,
  leadsTo: (prefix) => `${prefix}1`,
  line: ticketLine,
  saved: 'Saved. Applies to new sessions.',
};

const records: Lines = {
  setting: 'recordLinks',
  callbackId: 'home_record_form',
  act: 'record-links',
  title: 'Customer records',
  hint: 'Where your customers’ records are, one per line: a name, and an address with {id}, {unique_id} or {email}, such as Acme CRM https://crm.acme.com/contacts/{unique_id}. A customer’s card then links them, and summaries those without {email}.',
  most: 5,
  read: recordTemplate,
  instead:
    'Type a name of up to 40 characters and an https address with {id}, {unique_id} or {email} behind its host, like Acme CRM https://crm.acme.com/contacts/{unique_id}.',
  leadsTo: exampleOf,
  line: recordLine,
  saved: 'Saved. Applies to new cards and summaries.',
};

const linesOf = (typed: string): readonly string[] =>
  typed
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

function createLinkForm(
  { setting, callbackId, act, title, hint, most, read, instead, leadsTo, line, saved }: Lines,
  settings: SettingsRepository,
  watchHostsOf: (workspaceId: string) => Promise<readonly string[]>,
): AdminForm {
  const input = inputs.text('addresses', title, {
    hint,
    optional: true,
    multiline: true,
    most: LONGEST,
  });
  const shown = (text: string): FormContent => ({ submit: 'Save', blocks: [input.show(text)] });
  const asKept = (typed: string) => [...new Set(linesOf(typed).flatMap((one) => read(one) ?? []))];

  function complaintAbout(text: string): string | undefined {
    const typed = linesOf(text);
    if (typed.length > most) return `At most ${most} addresses, please.`;
    const wrong = typed.find((one) => read(one) === undefined);
    if (wrong !== undefined) return `“${wrong.slice(0, 60)}” can’t be used. ${instead}`;
    // They're longer than what was typed where a host has letters of another script. The form has to open with them again.
    return asKept(text).join('\n').length > LONGEST
      ? `At most ${LONGEST} characters in all, please.`
      : undefined;
  }

  return {
    callbackId,
    right: () => forAdmins(act),
    async open({ workspaceId }) {
      const { settings: own, kept } = await settings.read(workspaceId);
      return { title, form: shown(own[setting].join('\n')), seen: String(kept(setting).version) };
    },
    complaints: (filled) => ({ [input.block]: complaintAbout(input.read(filled)) }),
    async save(viewer, filled, _about, seen) {
      const typed = input.read(filled);
      const to = asKept(typed);
      const hosts = await watchHostsOf(viewer.workspaceId);
      const ours = to.find((one) => holdsWatchLink(leadsTo(one), hosts));
      if (ours !== undefined)
        return {
          complaints: { [input.block]: `Watch links look like “${ours.slice(0, 60)}”, so it can’t be used.` },
          again: shown(typed),
        };
      return saveSetting(settings, viewer, {
        name: setting,
        seen,
        from: (own: WorkspaceSettings) => own[setting],
        to,
        saved: done([saved], line({ ticketPrefixes: to, recordLinks: to })),
        now: line,
      });
    },
  };
}

/** Forms for ticket addresses and templates of customers' records. @param watchHostsOf no address is taken at these hosts */
export const createLinkForms = (
  settings: SettingsRepository,
  watchHostsOf: (workspaceId: string) => Promise<readonly string[]>,
): { readonly tickets: AdminForm; readonly records: AdminForm } => ({
  tickets: createLinkForm(tickets, settings, watchHostsOf),
  records: createLinkForm(records, settings, watchHostsOf),
});
