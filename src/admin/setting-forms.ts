import { z } from 'zod';
import type { Filled } from '../commands/command.ts';
import { inputs, MOST_ASKED, type UserGroup } from '../commands/inputs.ts';
import { exampleOf, recordTemplate } from '../commands/record-links.ts';
import { ticketPrefix } from '../commands/ticket-links.ts';
import { holdsWatchLink } from '../commands/typed.ts';
import { done, type Message } from '../messages/message.ts';
import { unsaved, type FormContent, type Saved } from '../messages/modal.ts';
import { channel, say, type Line } from '../messages/text.ts';
import type { App } from '../parts.ts';
import { ACTS, isChannel, isGroup, type Act, type Rule } from '../permissions/permissions.ts';
import {
  rulesIn,
  settingOf,
  type KeptSettings,
  type SettingsRepository,
  type WorkspaceSettings,
} from '../workspaces/settings.ts';
import type { Admin, AdminForm } from './home-buttons.ts';
import { changedMeanwhile, recordLine, ruleLine, RULE_TITLES, ticketLine } from './settings-list.ts';

type Settings = Pick<SettingsRepository, 'read' | 'of' | 'change'>;

const formOf = (title: string, { kept }: KeptSettings, name: string, blocks: FormContent['blocks']) => ({
  title,
  submit: 'Save',
  blocks,
  seen: String(kept(name).version),
});

interface FilledSetting {
  readonly name: string;
  readonly seen: string | undefined;
  readonly from: (settings: WorkspaceSettings) => unknown;
  readonly to: unknown;
  readonly saved: Message;
  /** How it is, where it isn't saved. */
  readonly now?: (settings: WorkspaceSettings) => Line;
}

/** Saves a setting unless somebody else changed it while its form was open. */
async function saveSetting(
  settings: Settings,
  by: Admin,
  { name, seen, from, to, saved, now }: FilledSetting,
): Promise<Message | Saved> {
  const { settings: own, kept } = await settings.read(by.workspaceId);
  const was = from(own);
  const isSame = JSON.stringify(was) === JSON.stringify(to);
  const version = seen === undefined ? kept(name).version : Number(seen);
  const recorded = isSame ? undefined : { setting: name, from: was, to };
  const outcome = await settings.change(by, { name, value: to, version, recorded });
  if (outcome === 'changed') return { saved };
  return changedMeanwhile([[outcome.by, 'this']], now?.(await settings.of(by.workspaceId)));
}

/** More than any team has leads. */
const MOST_NAMED = 50;

const who = inputs.radios(
  'who',
  'Who can',
  [
    ['members', 'Members of this workspace, not guests'],
    ['admins', 'Only admins and those added below'],
  ],
  { hint: 'Admins and owners always can. People from other organizations never can.' },
);
const people = inputs.people('users', 'Also allow people', {
  hint: 'Guests need to be added here.',
  optional: true,
  placeholder: 'Choose people',
  most: MOST_NAMED,
});
const groups = inputs.groups('groups', 'Also allow user groups');
const channels = inputs.channels('channels', 'Also allow members of', {
  hint: 'Guests aren’t included. A private channel only works if the app is in it.',
  optional: true,
  placeholder: 'Choose channels',
  most: MOST_ASKED,
});

/** Who can do one thing, filled in with who can now. @param listed the groups to choose from, where Slack lists them */
export const ruleFields = ({ members, ids }: Rule, listed: readonly UserGroup[] | undefined) => [
  who.show(members ? 'members' : 'admins'),
  people.show(ids.filter((id) => !isGroup(id) && !isChannel(id))),
  ...groups.show(ids.filter(isGroup), listed),
  channels.show(ids.filter(isChannel)),
];

const ruleIn = (filled: Filled): Rule => ({
  members: who.read(filled) === 'members',
  ids: [...people.read(filled), ...groups.read(filled), ...channels.read(filled)],
});

export const ruleSaved = (act: Act, rule: Rule): Message =>
  done(['Saved. Applies immediately, also to existing buttons.'], ruleLine(act, rule));

const actOf = (about: string): Act => z.enum(ACTS).parse(about);

const ruleOf = (act: Act, { workspace }: Admin, own: WorkspaceSettings): Rule =>
  rulesIn(own, workspace.defaults.rules)[act];

/** Who can do what. @param groupsOf undefined if Slack doesn't list them. Never rejects */
export function createRuleForm(settings: Settings, groupsOf: App['groupsOf']): AdminForm {
  return {
    callbackId: 'home_rule_form',
    act: (about) => settingOf(actOf(about)),
    async open(admin, about) {
      const act = actOf(about);
      const { workspaceId } = admin;
      const [found, listed] = await Promise.all([settings.read(workspaceId), groupsOf(workspaceId)]);
      const fields = ruleFields(ruleOf(act, admin, found.settings), listed);
      return formOf(RULE_TITLES[act], found, settingOf(act), fields);
    },
    complaints: (filled) => ({
      [groups.block]:
        groups.wrong(filled) ??
        (groups.read(filled).length + channels.read(filled).length > MOST_ASKED &&
          `At most ${MOST_ASKED} groups and channels together.`),
    }),
    async save(admin, filled, about, seen) {
      const act = actOf(about);
      const to = ruleIn(filled);
      return saveSetting(settings, admin, {
        name: settingOf(act),
        seen,
        from: (own) => ruleOf(act, admin, own),
        to,
        saved: ruleSaved(act, to),
        now: (own) => ruleLine(act, ruleOf(act, admin, own)),
      });
    },
  };
}

const LONGEST = 3_000;

const DESKS = [
  'https://acme.zendesk.com/agent/tickets',
  'https://acme.atlassian.net/browse',
  'https://acme.freshdesk.com/a/tickets',
];

const tickets = {
  setting: 'ticketPrefixes',
  callbackId: 'home_ticket_form',
  /** For the audit, where somebody may not. */
  act: 'ticket-addresses',
  title: 'Ticket addresses',
  hint: `What your helpdesk’s tickets begin with, one per line, such as ${DESKS.join(' or ')}. A session that starts from a link to a ticket then links it.`,
  most: 20,
  /** A line as it's kept; undefined if it's none. */
  read: ticketPrefix,
  instead: `Type an https address like ${DESKS[0]}, without a user name, “..”, “?” or “#”.`,
  /** An address that a kept line leads to. */
  leadsTo: (prefix: string) => `${prefix}1`,
  line: ticketLine,
  saved: 'Saved. Applies to new sessions.',
} as const;

const records = {
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
} as const;

const linesOf = (typed: string): readonly string[] => typed.split(/\s*\n\s*/).filter((line) => line !== '');

function createLinkForm(settings: Settings, about: typeof tickets | typeof records): AdminForm {
  const { setting, callbackId, act, title, hint, most, read, leadsTo, line } = about;
  const input = inputs.text('addresses', title, {
    hint,
    optional: true,
    multiline: true,
    most: LONGEST,
  });
  const asKept = (typed: string) => [...new Set(linesOf(typed).flatMap((one) => read(one) ?? []))];

  function complaintAbout(text: string): string | undefined {
    const typed = linesOf(text);
    if (typed.length > most) return `At most ${most} addresses, please.`;
    const wrong = typed.find((one) => read(one) === undefined);
    return wrong && `“${wrong.slice(0, 60)}” can’t be used. ${about.instead}`;
  }

  return {
    callbackId,
    act: () => act,
    async open({ workspaceId }) {
      const found = await settings.read(workspaceId);
      return formOf(title, found, setting, [input.show(found.settings[setting].join('\n'))]);
    },
    complaints: (filled) => ({ [input.block]: complaintAbout(input.read(filled)) }),
    async save(admin, filled, _about, seen) {
      const typed = input.read(filled);
      const to = asKept(typed);
      const ours = to.find((one) => holdsWatchLink(leadsTo(one), admin.workspace.linkHosts));
      if (ours !== undefined)
        return unsaved(
          { submit: 'Save', blocks: [input.show(typed)] },
          input.block,
          `Watch links look like “${ours.slice(0, 60)}”, so it can’t be used.`,
        );
      return saveSetting(settings, admin, {
        name: setting,
        seen,
        from: (own) => own[setting],
        to,
        saved: done([about.saved], line({ ticketPrefixes: to, recordLinks: to })),
        now: line,
      });
    },
  };
}

export const createTicketForm = (settings: Settings) => createLinkForm(settings, tickets);
export const createRecordForm = (settings: Settings) => createLinkForm(settings, records);

const summaryChannel = inputs.channel('channel', 'Summary channel', {
  hint: 'For sessions started outside a channel. If empty, the agent gets a direct message. Invite the app to the channel.',
  optional: true,
  placeholder: 'Choose a channel',
});

export const createSummaryChannelForm = (settings: Settings): AdminForm => ({
  callbackId: 'home_summary_channel_form',
  act: () => 'summary-channel',
  async open({ workspaceId }) {
    const found = await settings.read(workspaceId);
    const shown = summaryChannel.show(found.settings.summaryChannel);
    return formOf('Summary channel', found, 'summaryChannel', [shown]);
  },
  async save(admin, filled, _about, seen) {
    const to = summaryChannel.read(filled);
    return saveSetting(settings, admin, {
      name: 'summaryChannel',
      seen,
      from: (own) => own.summaryChannel ?? null,
      to: to ?? null,
      saved: done(
        to === undefined
          ? ['Saved. Summaries without a channel go to the agent as a direct message.']
          : say`Saved. Summaries without a channel go to ${channel(to)}. Invite me there.`,
      ),
    });
  },
});
