import { z } from 'zod';

import { viewBody } from './bodies.ts';
import type { Interaction } from './interaction.ts';
import { SlackError } from './slack-error.ts';
import type { View } from './views.ts';
import { webMethod, type WebMethod } from './web-method.ts';

const opening = z.object({ trigger_id: z.string(), view: z.unknown() });
const updating = z.object({
  view_id: z.string(),
  hash: z.string().optional(),
  view: z.unknown(),
});

const publishing = z.object({ user_id: z.string(), view: z.unknown(), hash: z.string().optional() });

/** Modals and the Home tab, which supports only views.publish here. */
export const viewMethods = ({
  world,
  manifest,
  views,
  homes,
  triggers,
}: Pick<Interaction, 'world' | 'manifest' | 'views' | 'homes' | 'triggers'>): Readonly<
  Record<string, WebMethod>
> => {
  const answer = (view: View) => ({ view: viewBody(world, view) });
  return {
    'views.open': webMethod([], opening, ({ trigger_id, view }) =>
      answer(views.open(triggers.redeem(trigger_id), view)),
    ),
    'views.push': webMethod([], opening, ({ trigger_id, view }) =>
      answer(views.push(triggers.redeem(trigger_id), view)),
    ),
    'views.update': webMethod([], updating, ({ view_id, hash, view }) =>
      answer(views.update(view_id, view, hash)),
    ),
    'views.publish': webMethod([], publishing, ({ user_id, view, hash }) => {
      if (!manifest.homeTab) throw new SlackError('not_enabled');
      if (world.directMessages(user_id) === undefined) throw new SlackError('user_not_found');
      return answer(homes.publish(user_id, view, hash));
    }),
  };
};
