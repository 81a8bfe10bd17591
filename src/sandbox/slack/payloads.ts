import { stateOf } from './elements.ts';
import type { Message } from './messages.ts';
import type { Channel, World } from './world.ts';
import type { OpenView } from './view-stacks.ts';
import type { ViewState } from './page-api.ts';

/**
 * What Slack sends to an app, field by field, after https://docs.slack.dev/reference/interaction-payloads and
 * https://docs.slack.dev/interactivity/implementing-slash-commands.
 */

type Payload = Readonly<Record<string, unknown>>;

/** The deprecated verification token: still on every payload, and no app may trust it. */
const token = 'verification-token';

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
  is_enterprise_install: 'false',
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

/** A press in a message. Slack keeps no copy of an ephemeral message, so such a payload has no `message`. */
export const messagePressPayload = (
  world: World,
  act: Act & {
    readonly channel: Channel;
    readonly message: Message;
    readonly action: Payload;
    readonly state: ViewState | undefined;
    readonly responseUrl: string;
  },
): Payload => {
  const ephemeral = act.message.visibleTo !== undefined;
  return {
    type: 'block_actions',
    ...whoAndWhere(world, act.userId),
    api_app_id: world.app.id,
    token,
    container: {
      type: 'message',
      message_ts: act.message.ts,
      channel_id: act.channel.id,
      is_ephemeral: ephemeral,
      thread_ts: act.message.threadTs,
    },
    trigger_id: act.triggerId,
    channel: { id: act.channel.id, name: channelName(act.channel) },
    ...(ephemeral ? {} : { message: messageBody(world, act.message) }),
    state: { values: stateOf(act.message.blocks, act.state) },
    response_url: act.responseUrl,
    actions: [act.action],
  };
};

export const viewPressPayload = (
  world: World,
  act: Act & { readonly view: OpenView; readonly action: Payload; readonly state: ViewState | undefined },
): Payload => ({
  type: 'block_actions',
  ...whoAndWhere(world, act.userId),
  api_app_id: world.app.id,
  token,
  container: { type: 'view', view_id: act.view.id },
  trigger_id: act.triggerId,
  view: viewBody(world, act.view, act.state),
  actions: [act.action],
});

export const submissionPayload = (
  world: World,
  act: Act & {
    readonly view: OpenView;
    readonly state: ViewState;
    readonly responseUrls: readonly Payload[];
  },
): Payload => ({
  type: 'view_submission',
  ...whoAndWhere(world, act.userId),
  api_app_id: world.app.id,
  token,
  trigger_id: act.triggerId,
  view: viewBody(world, act.view, act.state),
  response_urls: act.responseUrls,
});

export const closedPayload = (world: World, view: OpenView): Payload => ({
  type: 'view_closed',
  ...whoAndWhere(world, view.user),
  api_app_id: world.app.id,
  token,
  view: viewBody(world, view),
  is_cleared: false,
});

/** A view as views.open answers it and interactions carry it. */
export const viewBody = (world: World, view: OpenView, typed?: ViewState): Payload => ({
  id: view.id,
  team_id: world.workspace.id,
  type: 'modal',
  blocks: view.modal.blocks,
  private_metadata: view.modal.private_metadata ?? '',
  callback_id: view.modal.callback_id ?? '',
  state: { values: stateOf(view.modal.blocks, typed) },
  hash: view.hash,
  title: view.modal.title,
  clear_on_close: view.modal.clear_on_close ?? false,
  notify_on_close: view.modal.notify_on_close ?? false,
  close: view.modal.close ?? null,
  submit: view.modal.submit ?? null,
  previous_view_id: view.previousId,
  root_view_id: view.rootId,
  app_id: world.app.id,
  external_id: view.modal.external_id ?? '',
  app_installed_team_id: world.workspace.id,
  bot_id: world.app.botId,
});

/** A message as chat.postMessage answers it and interactions carry it. */
export const messageBody = (world: World, message: Message): Payload => {
  const botId = world.user(message.user)?.botId;
  return {
    type: 'message',
    user: message.user,
    ts: message.ts,
    team: world.workspace.id,
    text: message.text,
    ...(botId === undefined ? {} : { bot_id: botId }),
    ...(message.user === world.app.botUser ? { app_id: world.app.id } : {}),
    ...(message.blocks.length === 0 ? {} : { blocks: message.blocks }),
    ...(message.threadTs === undefined ? {} : { thread_ts: message.threadTs }),
    ...(message.edited ? { edited: { user: message.user, ts: message.ts } } : {}),
    ...(message.metadata === undefined ? {} : { metadata: message.metadata }),
  };
};

const whoAndWhere = (world: World, userId: string): Payload => {
  const name = world.user(userId)?.name ?? '';
  return {
    team: { id: world.workspace.id, domain: world.workspace.domain },
    user: { id: userId, username: name, name, team_id: world.workspace.id },
    enterprise: null,
    is_enterprise_install: false,
  };
};

const channelName = (channel: Channel): string => (channel.kind === 'dm' ? 'directmessage' : channel.name);
