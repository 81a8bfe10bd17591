import { z } from 'zod';
import type { Viewer } from '../commands/rights.ts';
import { definePress } from '../commands/command.ts';
import { visitorIfKnown, visitorName } from '../messages/visitor-pieces.ts';
import type { App } from '../parts.ts';
import { ACCESS_LEVELS } from '../permissions/permissions.ts';
import { createAccess } from './access.ts';
import { createAdminAccount } from './account.ts';
import { createAuditCommand } from './audit.ts';
import { missingScopes } from './checks.ts';
import { createDoctorCommand, type Setup } from './doctor.ts';
import { acting, forAdmins, openedBy, together } from './home-buttons.ts';
import { createRecordForm, createRuleForm, createTicketForm } from './setting-forms.ts';
import { settingsMenu } from './settings-list.ts';
import { createAdminDeliveries } from './undelivered.ts';
import { createUsageCommand } from './usage.ts';

function settingsSurface({ settings, settingsOf, groupsOf }: App, access: ReturnType<typeof createAccess>) {
  const menu = async ({ workspaceId }: Viewer) => settingsMenu(await settingsOf(workspaceId));
  const right = forAdmins('settings');
  const switching = (actionId: string, name: 'namesInFiles' | 'slackbot') =>
    definePress({
      actionId,
      answer: 'replace',
      redraws: 'renew',
      right,
      value: z.enum(['on', 'off']),
      async run(value, viewer) {
        const { settings: own, kept } = await settings.read(viewer.workspaceId);
        const to = value === 'on';
        const recorded = { setting: name, from: own[name], to };
        // Whoever pressed at the same moment is no conflict: the menu shows how it is.
        if (own[name] !== to)
          await settings.change(viewer, { name, value: to, version: kept(name).version, recorded });
        return menu(viewer);
      },
    });
  return together(
    openedBy('home_edit_settings', access.form),
    openedBy('home_change_rule', createRuleForm(settings, groupsOf)),
    openedBy('home_ticket_addresses', createTicketForm(settings)),
    openedBy('home_record_links', createRecordForm(settings)),
    definePress({
      actionId: 'home_settings',
      answer: 'add',
      title: 'Settings',
      right,
      value: z.string(),
      run: (_value, viewer) => menu(viewer),
    }),
    switching('home_names_in_files', 'namesInFiles'),
    switching('home_slackbot', 'slackbot'),
    ...ACCESS_LEVELS.map((level) =>
      acting(`home_choose_${level}`, 'Settings', right, (viewer) => access.choose(viewer, level)),
    ),
  );
}

/** What a workspace's admins see and set: commands, and their part of Home. @param setup what the doctor examines beside it */
export function createAdmin(app: App, setup: Setup) {
  const { workspaceOf, settings, ownAccounts } = app;
  /** Even an admin sees a private channel only as a member; if Slack can't be asked, not. Never rejects. */
  const canSee = async ({ workspaceId, userId }: Viewer, channelId: string): Promise<boolean> =>
    (await app.isPublic(workspaceId, channelId)) ||
    (await app.isInChannel(workspaceId, userId, channelId).catch(() => undefined)) === true;

  async function nameOf(workspaceId: string, visitorId: string): Promise<string | undefined> {
    const visitor = await visitorIfKnown(app, workspaceId, visitorId);
    return visitor && visitorName(visitor);
  }

  const access = createAccess(settings);
  const account = ownAccounts && createAdminAccount(app, ownAccounts);
  const deliveries = createAdminDeliveries(app, { canSee, nameOf });
  return {
    usage: createUsageCommand(app),
    audit: createAuditCommand(app),
    doctor: createDoctorCommand(app, setup, canSee),
    accessOf: access.now,
    deliveriesOf: deliveries.of,
    accountOf: account?.atHome,
    missingScopesOf: async (workspaceId: string) =>
      missingScopes(setup.slackOf((await workspaceOf(workspaceId)).slack)),
    surface: together(
      settingsSurface(app, access),
      ...(account === undefined ? [] : [account.surface]),
      deliveries.surface,
    ),
  };
}
