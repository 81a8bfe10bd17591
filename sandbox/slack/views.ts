import type { KnownBlock } from '@slack/types';

import { withCurrentConversation } from './element-state.ts';
import type { HomeTab, Homes } from './homes.ts';
import type { OpenView, ViewStacks } from './view-stacks.ts';
import type { World } from './world.ts';

/** A modal or a Home tab that a person sees. */
export type View = OpenView | HomeTab;

export const viewOf = (
  { views, homes }: { readonly views: ViewStacks; readonly homes: Homes },
  userId: string,
  viewId: string,
): View | undefined => [...views.of(userId), homes.of(userId)].find((view) => view?.id === viewId);

/** The blocks as the person sees them. */
export const shownBlocks = (world: World, view: View): readonly KnownBlock[] =>
  'home' in view
    ? view.home.blocks
    : withCurrentConversation(
        view.modal.blocks,
        view.viewing === undefined ? undefined : world.channel(view.viewing),
      );
