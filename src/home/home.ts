import type { HomeView } from '@slack/types';
import { homeSkeleton, homeView, strangersHome } from '../views/home.ts';
import type { HomeContent } from '../views/home.ts';
import type { Viewer } from './viewer.ts';

/** Puts a view into the viewer's Home tab. */
export type Publish = (view: HomeView) => Promise<unknown>;

/** The Home tab. */
export interface Home {
  /**
   * Publishes a skeleton at once, then the content. While one is under way for a viewer, another call returns at once
   * and has the content gathered once more when the first is done: one publish at a time, and the latest one stays.
   *
   * @throws whatever gathering or publishing fails with (by rejecting); the failures of single parts are in the content
   */
  show(viewer: Viewer, publish: Publish): Promise<void>;
}

/** @param gather what the Home shows to the viewer; undefined for a person of another organisation */
export function createHome(gather: (viewer: Viewer) => Promise<HomeContent | undefined>): Home {
  const underWay = new Map<string, { again: boolean }>();

  async function draw(viewer: Viewer): Promise<HomeView> {
    const content = await gather(viewer);
    return content === undefined ? strangersHome() : homeView(content);
  }

  async function first(viewer: Viewer, publish: Publish): Promise<void> {
    const view = draw(viewer);
    // The skeleton may fail before anybody waits for the content.
    view.catch(() => undefined);
    await publish(homeSkeleton());
    await publish(await view);
  }

  return {
    async show(viewer, publish) {
      const key = `${viewer.workspaceId} ${viewer.userId}`;
      const running = underWay.get(key);
      if (running !== undefined) {
        running.again = true;
        return;
      }
      const turn = { again: false };
      underWay.set(key, turn);
      try {
        await first(viewer, publish);
        while (turn.again) {
          turn.again = false;
          await publish(await draw(viewer));
        }
      } finally {
        underWay.delete(key);
      }
    },
  };
}
