import { messageBody, viewBody } from './bodies.ts';
import type { Message } from './messages.ts';
import type { ViewState } from './page-api.ts';
import type { OpenView } from './view-stacks.ts';
import type { Channel, World } from './world.ts';

/**
 * What Slack sends to an app, field by field, after https://docs.slack.dev/reference/interaction-payloads and
 * https://docs.slack.dev/interactivity/implementing-slash-commands.
 */

export type Payload = Readonly<Record<string, unknown>>;

/** The deprecated verification token: still in every payload, though no app should trust it. */
export const token = 'verification-token';

export interface Act {
  readonly userId: string;
  readonly triggerId: string;
}

/** A slash command, sent as a form: every value is a string. */
export const commandPayload = (
  world: World,
  act: Act & {
    readonly channel: Channel;
    readonly command: string;
    readonly text: string;
    readonly responseUrl: string;
  },
): Readonly<Record<string, string>> => ({
  token,
  team_id: world.workspace.id,
  team_domain: world.workspace.domain,
  channel_id: act.channel.id,
  channel_name: channelName(act.channel),
  user_id: act.userId,
  user_name: world.user(act.userId)?.name ?? '',
  command: act.command,
  text: act.text,
  api_app_id: world.app.id,
  is_enterprise_install: String(world.workspace.organization !== undefined),
  ...(world.workspace.organization && {
    enterprise_id: world.workspace.organization.id,
    enterprise_name: world.workspace.organization.name,
  }),
  response_url: act.responseUrl,
  trigger_id: act.triggerId,
});

export const shortcutPayload = (
  world: World,
  act: Act & {
    readonly channel: Channel;
    readonly message: Message;
    readonly callbackId: string;
    readonly responseUrl: string;
    readonly actionTs: string;
  },
): Payload => ({
  type: 'message_action',
  token,
  action_ts: act.actionTs,
  ...whoAndWhere(world, act.userId),
  channel: { id: act.channel.id, name: channelName(act.channel) },
  callback_id: act.callbackId,
  trigger_id: act.triggerId,
  response_url: act.responseUrl,
  message_ts: act.message.ts,
  message: messageBody(world, act.message),
});

/** A global shortcut has no channel and no response_url. */
export const globalShortcutPayload = (
  world: World,
  act: Act & { readonly callbackId: string; readonly actionTs: string },
): Payload => {
  const { id, name: username } = world.user(act.userId) ?? { id: act.userId, name: '' };
  return {
    type: 'shortcut',
    token,
    action_ts: act.actionTs,
    user: { id, username, team_id: world.homeOf(id).id },
    ...installedIn(world),
    callback_id: act.callbackId,
    trigger_id: act.triggerId,
  };
};

export const submissionPayload = (
  world: World,
  act: Act & { readonly view: OpenView; readonly state: ViewState },
): Payload => ({
  type: 'view_submission',
  ...whoAndWhere(world, act.userId),
  ...ownTeam(world, act.userId),
  api_app_id: world.app.id,
  token,
  trigger_id: act.triggerId,
  view: viewBody(world, act.view, act.state),
  response_urls: [],
});

/** A modal's payloads name the person's organization, and the workspace in `view.app_installed_team_id`. */
const ownTeam = (world: World, userId: string): Payload => {
  if (world.workspace.organization !== undefined) return {};
  const { id, domain } = world.homeOf(userId);
  return { team: { id, domain } };
};

export const whoAndWhere = (world: World, userId: string): Payload => {
  const name = world.user(userId)?.name ?? '';
  return {
    user: { id: userId, username: name, name, team_id: world.homeOf(userId).id },
    ...installedIn(world),
  };
};

/** Where an organization installed the app, Slack doesn't name the workspace. */
const installedIn = ({ workspace: { id, domain, organization } }: World): Payload => ({
  team: organization === undefined ? { id, domain } : null,
  enterprise: organization ?? null,
  is_enterprise_install: organization !== undefined,
});

export const channelName = (channel: Channel): string =>
  channel.kind === 'dm' ? 'directmessage' : channel.name;
