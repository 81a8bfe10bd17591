import { actionOf, elementAt } from './elements.ts';
import type { Deed } from './elements.ts';
import { done, refused } from './interaction.ts';
import type { Interaction, Outcome } from './interaction.ts';
import type { PressSource } from './page-api.ts';
import { messagePressPayload, viewPressPayload } from './payloads.ts';

export interface Press extends Deed {
  readonly as: string;
  readonly source: PressSource;
}

/**
 * A press of a button, a choice in a menu. A URL button comes here too: Slack sends its press beside opening the address.
 * An app's answer to a block_actions payload has no body that Slack would read.
 */
export const press = async (parts: Interaction, pressed: Press): Promise<Outcome> => {
  const payload =
    pressed.source.type === 'view'
      ? viewPress(parts, pressed, pressed.source.view_id)
      : messagePress(parts, pressed);
  if (payload === undefined) return refused('This is gone.');
  const mark = `${pressed.block_id}/${pressed.action_id}`;
  parts.marks.begin(pressed.as, mark);
  const acknowledgement = await parts.deliver('interactive', payload);
  parts.marks.end(pressed.as, mark, acknowledgement.acknowledged);
  return done;
};

const messagePress = (parts: Interaction, pressed: Press) => {
  if (pressed.source.type !== 'message') return undefined;
  const { world } = parts;
  const channel = world.channel(pressed.source.channel);
  const message = world.message(pressed.source.channel, pressed.source.ts);
  if (channel === undefined || message === undefined || !channel.members.includes(pressed.as))
    return undefined;
  if ((message.visibleTo ?? pressed.as) !== pressed.as) return undefined;
  const placed = elementAt(message.blocks, pressed);
  const action = placed && actionOf(placed, pressed, world.nextTs());
  return (
    action &&
    messagePressPayload(world, {
      userId: pressed.as,
      channel,
      message,
      action,
      state: pressed.state,
      responseUrl: parts.responseUrls.issue({ channel: channel.id, user: pressed.as, original: message }),
      triggerId: parts.triggers.issue(pressed.as),
    })
  );
};

const viewPress = (parts: Interaction, pressed: Press, viewId: string) => {
  const view = parts.views.of(pressed.as).find((it) => it.id === viewId);
  const placed = view && elementAt(view.modal.blocks, pressed);
  const action = placed && actionOf(placed, pressed, parts.world.nextTs());
  if (view === undefined || action === undefined) return undefined;
  const triggerId = parts.triggers.issue(pressed.as);
  return viewPressPayload(parts.world, { userId: pressed.as, triggerId, view, action, state: pressed.state });
};
