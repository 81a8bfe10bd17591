import type { Message } from '../messages/message.ts';
import type { HomeView } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import type { Home } from '../home/home.ts';
import type { Viewer } from '../commands/caller.ts';
import type { Answerer } from './answer.ts';

/** Publishes one person's Home tab: first with a skeleton, or replacing what is there. */
export type DrawHome = (client: WebClient, viewer: Viewer, how: keyof Home) => void;

/** @param failed the tab where it couldn't be gathered */
export function createDrawHome(home: Home, failed: (why: Message) => HomeView, answerer: Answerer): DrawHome {
  return function drawHome(client, { workspaceId, userId }, how) {
    const viewer = { workspaceId, userId };
    const publish = (view: HomeView) => client.views.publish({ user_id: userId, view });
    answerer.take({
      name: 'home',
      ...viewer,
      async work() {
        await home[how](viewer, publish);
        return undefined;
      },
      deliver: async (failure) => void (await publish(failed(failure))),
    });
  };
}
