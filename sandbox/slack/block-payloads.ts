import { messageBody, viewBody } from './bodies.ts';
import { stateOf } from './element-state.ts';
import type { Message } from './messages.ts';
import type { ViewState } from './page-api.ts';
import { channelName, token, whoAndWhere, type Act, type Payload } from './payloads.ts';
import type { View } from './views.ts';
import type { Channel, World } from './world.ts';

/** Where an element is. */
export type Scene = { readonly channel: Channel; readonly message: Message } | { readonly view: View };

/** A press, or a choice. */
export const pressPayload = (
  world: World,
  act: Act & {
    readonly scene: Scene;
    readonly action: Payload;
    readonly state: ViewState | undefined;
    /** For elements in a message. */
    readonly responseUrl: string | undefined;
  },
): Payload => ({
  type: 'block_actions',
  ...whoAndWhere(world, act.userId),
  api_app_id: world.app.id,
  token,
  ...sceneOf(world, act.scene, act.state),
  trigger_id: act.triggerId,
  ...('message' in act.scene ? { state: { values: stateOf(act.scene.message.blocks, act.state) } } : {}),
  response_url: act.responseUrl,
  actions: [act.action],
});

/** What is typed into an external select. */
export const suggestionPayload = (
  world: World,
  act: {
    readonly userId: string;
    readonly scene: Scene;
    readonly block_id: string;
    readonly action_id: string;
    readonly value: string;
    readonly state: ViewState | undefined;
  },
): Payload => ({
  type: 'block_suggestion',
  ...whoAndWhere(world, act.userId),
  api_app_id: world.app.id,
  token,
  ...sceneOf(world, act.scene, act.state),
  action_id: act.action_id,
  block_id: act.block_id,
  value: act.value,
});

/** Slack stores no ephemeral messages, so a payload from one has no `message`. */
const sceneOf = (world: World, scene: Scene, state: ViewState | undefined): Payload => {
  if ('view' in scene) {
    const { view } = scene;
    return { container: { type: 'view', view_id: view.id }, view: viewBody(world, view, state) };
  }
  const { channel, message } = scene;
  const ephemeral = message.visibleTo !== undefined;
  return {
    container: {
      type: 'message',
      message_ts: message.ts,
      channel_id: channel.id,
      is_ephemeral: ephemeral,
      thread_ts: message.threadTs,
    },
    channel: { id: channel.id, name: channelName(channel) },
    ...(ephemeral ? {} : { message: messageBody(world, message) }),
  };
};
