import { z } from 'zod';

import { viewBody } from './payloads.ts';
import { SlackError } from './slack-error.ts';
import type { Triggers } from './triggers.ts';
import type { OpenView, ViewStacks } from './view-stacks.ts';
import { webMethod } from './web-method.ts';
import type { WebMethod } from './web-method.ts';
import type { World } from './world.ts';

const opening = z.object({ trigger_id: z.string(), view: z.unknown() });
const updating = z.object({
  view_id: z.string().optional(),
  external_id: z.string().optional(),
  hash: z.string().optional(),
  view: z.unknown(),
});

/** Modals. The Home tab (views.publish) is left out. */
export const viewMethods = (
  world: World,
  views: ViewStacks,
  triggers: Triggers,
): Readonly<Record<string, WebMethod>> => {
  const answer = (view: OpenView) => ({ view: viewBody(world, view) });
  return {
    'views.open': webMethod([], opening, ({ trigger_id, view }) =>
      answer(views.open(triggers.redeem(trigger_id), view)),
    ),
    'views.push': webMethod([], opening, ({ trigger_id, view }) =>
      answer(views.push(triggers.redeem(trigger_id), view)),
    ),
    'views.update': webMethod([], updating, ({ view_id, external_id, hash, view }) => {
      if (view_id === undefined && external_id === undefined) throw new SlackError('invalid_arguments');
      const old = views.find({ viewId: view_id, externalId: external_id });
      return answer(views.update(old.id, view, hash));
    }),
  };
};
