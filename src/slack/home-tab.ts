import type { HomeView } from '@slack/types';
import type { Caller } from '../commands/caller.ts';
import type { Home } from '../home/home.ts';
import type { Message } from '../messages/message.ts';
import type { Answerer } from './answer.ts';

/** Publishes one person's Home tab: first with a skeleton, or replacing what is there. */
export type DrawHome = (viewer: Caller, how: keyof Home) => void;

/** @param failed the tab where it couldn't be gathered */
export function createDrawHome(home: Home, failed: (why: Message) => HomeView, answerer: Answerer): DrawHome {
  return function drawHome({ workspace, workspaceId, userId }, how) {
    const viewer = { workspaceId, userId };
    const publish = (view: HomeView) => workspace.slack.views.publish({ user_id: userId, view });
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
