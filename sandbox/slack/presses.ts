import { pressPayload, type Scene } from './block-payloads.ts';
import { actionOf, type ElementAction } from './block-actions.ts';
import { elementAt } from './elements.ts';
import { done, refused, type Interaction, type Outcome } from './interaction.ts';
import type { PressSource } from './page-api.ts';
import { sceneAt } from './scenes.ts';

export interface Press extends ElementAction {
  readonly as: string;
  readonly source: PressSource;
}

/**
 * A press of a button, or a choice in a menu. URL buttons too: Slack sends their press besides opening the address.
 * Slack ignores the body of an app's answer to a block_actions payload.
 */
export const press = async (parts: Interaction, pressed: Press): Promise<Outcome> => {
  const found = sceneAt(parts, pressed.as, pressed.source);
  const placed = found && elementAt(found.blocks, pressed);
  const offered = parts.offers.of(pressed);
  const action = placed && actionOf(placed, pressed, { world: parts.world, offered });
  if (found === undefined || action === undefined) return refused('This is gone.');
  if (action['url'] !== undefined && parts.world.user(pressed.as)?.losesLinkPresses === true) return done;
  const payload = pressPayload(parts.world, {
    userId: pressed.as,
    scene: found.scene,
    action,
    state: pressed.state,
    responseUrl: responseUrl(parts, pressed.as, found.scene),
    triggerId: parts.triggers.issue(pressed.as, viewing(found.scene)),
  });
  const mark = `${pressed.block_id}/${pressed.action_id}`;
  parts.marks.begin(pressed.as, mark);
  const acknowledgement = await parts.deliver('interactive', payload);
  parts.marks.end(pressed.as, mark, acknowledgement.acknowledged);
  return done;
};

/** A message has one; a modal and a Home tab have none. */
const responseUrl = (parts: Interaction, user: string, scene: Scene): string | undefined =>
  'message' in scene
    ? parts.responseUrls.issue({ channel: scene.channel.id, user, original: scene.message })
    : undefined;

const viewing = (scene: Scene): string | undefined => {
  if ('message' in scene) return scene.channel.id;
  return 'modal' in scene.view ? scene.view.viewing : undefined;
};
