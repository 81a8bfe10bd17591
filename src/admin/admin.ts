import type { Audit } from '../audit/audit.ts';
import type { Recording } from '../audit/recording.ts';
import type { Viewer } from '../commands/caller.ts';
import { createSendRecords, type SendFile } from '../commands/record-file.ts';
import type { NamedClaims } from '../database/named-claims.ts';
import type { ZoneOf } from '../messages/days.ts';
import type { UserGroup } from '../messages/form-fields.ts';
import { visitorName } from '../messages/visitor-pieces.ts';
import type { Overview } from '../outbox/overview.ts';
import type { RetryAndDrop } from '../outbox/retry-and-drop.ts';
import type { SettingsRepository } from '../workspaces/settings.ts';
import type { Workspace } from '../workspaces/workspaces.ts';
import type { IsInChannel } from '../permissions/permissions.ts';
import { createAdminSettings } from './access-form.ts';
import { createAdminAccount, type OwnAccounts } from './account-form.ts';
import { createAuditCommand } from './audit.ts';
import { missingScopes } from './check-slack.ts';
import { createDefaultAccess } from './default-access.ts';
import { createDoctorCommand, type Setup } from './doctor.ts';
import { createHomeButtons } from './home-buttons.ts';
import { createAdminRules } from './rule-form.ts';
import { createAdminDeliveries } from './undelivered.ts';
import { createTicketForm } from './ticket-form.ts';
import { createUsageCommand } from './usage.ts';

/** What a workspace's admins see and set: their commands, and their part of the Home tab. */
export function createAdmin({
  workspaceOf,
  isAdmin,
  zoneOf,
  isPublic,
  isInChannel,
  groupsOf,
  sendFile,
  claims,
  settings,
  audit,
  recording,
  ownAccounts,
  deliveries: { overview, retryAndDrop },
  setup,
  now,
}: {
  readonly workspaceOf: (workspaceId: string) => Promise<Workspace>;
  readonly isAdmin: (who: Viewer) => Promise<boolean>;
  readonly zoneOf: ZoneOf;
  /** Rejects if Slack can't be asked, like the next one. */
  readonly isPublic: (workspaceId: string, channelId: string) => Promise<boolean>;
  /** Undefined if Slack doesn't show who is in it. */
  readonly isInChannel: IsInChannel;
  /** The groups to choose from; undefined if Slack doesn't list them. Never rejects. */
  readonly groupsOf: (workspaceId: string) => Promise<readonly UserGroup[] | undefined>;
  readonly sendFile: SendFile;
  readonly claims: NamedClaims;
  readonly settings: SettingsRepository;
  /** Undefined where the operator's account is the only one. */
  readonly ownAccounts: OwnAccounts | undefined;
  readonly audit: Audit;
  readonly recording: Recording;
  readonly deliveries: { readonly overview: Overview; readonly retryAndDrop: RetryAndDrop };
  /** What the doctor examines beside the workspace. */
  readonly setup: Setup;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}) {
  /** Even an admin sees a private channel only as a member; if Slack can't be asked, not. Never rejects. */
  const canSee = async ({ workspaceId, userId }: Viewer, channelId: string): Promise<boolean> =>
    (await isPublic(workspaceId, channelId)) ||
    (await isInChannel(workspaceId, userId, channelId).catch(() => undefined)) === true;

  async function nameOf(workspaceId: string, visitorId: string): Promise<string | undefined> {
    try {
      const { cobrowse } = await workspaceOf(workspaceId);
      return visitorName(await cobrowse.visitor(visitorId));
    } catch {
      return undefined;
    }
  }

  const defaultAccess = createDefaultAccess(settings);
  const account =
    ownAccounts && createAdminAccount({ accounts: ownAccounts, settings, workspaceOf, isAdmin });
  const deliveries = createAdminDeliveries({
    overview,
    retryAndDrop,
    canSee,
    nameOf,
    prepare: (entry) => audit.prepare(entry),
    now,
  });
  return {
    usage: createUsageCommand(recording),
    audit: createAuditCommand({
      audit,
      recording,
      sendRecords: createSendRecords({ sendFile, claims }),
      zoneOf,
      now,
    }),
    doctor: createDoctorCommand({ ...setup, canSee, now }),
    accessOf: defaultAccess.now,
    deliveriesOf: deliveries.of,
    accountOf: account?.now,
    missingScopesOf: async (workspaceId: string) =>
      missingScopes(setup.slackOf((await workspaceOf(workspaceId)).slack)),
    surface: createHomeButtons({
      settings: createAdminSettings({
        settings,
        settingsOf: async (workspaceId) => (await workspaceOf(workspaceId)).settings(),
      }),
      rules: createAdminRules({
        settings,
        usualRulesOf: async (workspaceId) => (await workspaceOf(workspaceId)).defaults.rules,
        groupsOf,
      }),
      tickets: createTicketForm({
        settings,
        watchHostsOf: async (workspaceId) => (await workspaceOf(workspaceId)).linkHosts,
      }),
      defaultAccess,
      deliveries,
      account,
    }),
  };
}
