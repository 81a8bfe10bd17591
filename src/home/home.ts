import type { HomeView } from '@slack/types';
import { z } from 'zod';
import type { createAdmin } from '../admin/admin.ts';
import { together } from '../admin/home-buttons.ts';
import type { Viewer } from '../commands/rights.ts';
import { definePress, pressRunning, type Command } from '../commands/command.ts';
import { kindOf } from '../messages/slack-codes.ts';
import type { App } from '../parts.ts';
import type { createFollowUpLists } from '../team/follow-up-lists.ts';
import type { createWebhooksAtHome } from '../webhooks/at-home.ts';
import { slackErrorCode } from '../workspaces/web-client.ts';
import type { Showing } from '../visitors/visitor.ts';
import { createFirstRun } from './first-run.ts';
import { createView, failedHome, homeSkeleton, withoutChart, type HomeRooms, type HomeTab } from './view.ts';

export type Publish = (view: HomeView) => Promise<unknown>;

/**
 * Draws the Home tab, one publish at a time for each viewer. A call while one is drawn returns immediately and has the content
 * gathered once more, so that the latest stays. Both reject with whatever gathering or publishing fails with.
 * @param report called for a Home that Slack accepted only without its chart
 */
export function createTab(
  draw: (viewer: Viewer) => Promise<HomeTab>,
  newBlocks: App['newBlocks'],
  report: (error: unknown, viewer: Viewer) => void,
) {
  const underWay = new Map<string, { again: boolean }>();

  /** @param isFirst it begins with the skeleton, while the content is gathered */
  async function drawn(viewer: Viewer, publish: Publish, isFirst: boolean): Promise<void> {
    const [view] = await Promise.all([draw(viewer), isFirst && publish(homeSkeleton())]);
    const plain = withoutChart(view);
    if (plain === undefined) await publish(view);
    else if (await newBlocks.areRefused(viewer.workspaceId, 'charts')) await publish(plain);
    else
      await publish(view).catch(async (error: unknown) => {
        report(error, viewer);
        await publish(plain);
        if (kindOf(slackErrorCode(error) ?? '') === 'layout')
          await newBlocks.refuse(viewer.workspaceId, 'charts');
      });
  }

  async function oneByOne(viewer: Viewer, publish: Publish, isFirst: boolean): Promise<void> {
    const key = `${viewer.workspaceId} ${viewer.userId}`;
    const running = underWay.get(key);
    if (running !== undefined) {
      running.again = true;
      return;
    }
    const turn = { again: false };
    underWay.set(key, turn);
    try {
      await drawn(viewer, publish, isFirst);
      while (turn.again) {
        turn.again = false;
        await drawn(viewer, publish, false);
      }
    } finally {
      underWay.delete(key);
    }
  }

  return {
    show: (viewer: Viewer, publish: Publish) => oneByOne(viewer, publish, true),
    /** For someone who is already reading the tab. */
    renew: (viewer: Viewer, publish: Publish) => oneByOne(viewer, publish, false),
  };
}

export type Home = ReturnType<typeof createTab>;

const refresh = definePress({
  actionId: 'home_refresh',
  answer: 'add',
  redraws: 'show',
  needsAnswer: false,
  // The tab asks by itself who may see what.
  right: 'everybody',
  value: z.string(),
});

interface Rooms
  extends Omit<HomeRooms, 'visitorTools' | 'partnersOf'>, Pick<Showing, 'visitorTools' | 'partnersOf'> {
  readonly find: Command;
  readonly admin: ReturnType<typeof createAdmin>;
  readonly webhooks: ReturnType<typeof createWebhooksAtHome>;
  readonly followUps: ReturnType<typeof createFollowUpLists>;
  readonly sessionsCommand: Command;
}

export function createHome(app: App, rooms: Rooms) {
  const { find, admin, webhooks, followUps, sessionsCommand, report } = rooms;
  const { run } = sessionsCommand;
  const readerOf = async (viewer: Viewer) => ({
    ...viewer,
    workspace: await app.workspaceOf(viewer.workspaceId),
  });
  return {
    tab: createTab(
      createView(app, {
        ...rooms,
        visitorTools: async (viewer) => rooms.visitorTools(await readerOf(viewer)),
        partnersOf: async (viewer, visitors) => rooms.partnersOf(await readerOf(viewer), visitors),
      }),
      app.newBlocks,
      report,
    ),
    failed: failedHome,
    surface: together(
      // The search field; the results open in a modal.
      pressRunning(find, { actionId: 'home_search', answer: 'add', title: 'Customers' }),
      refresh,
      pressRunning(followUps.command, { actionId: 'home_follow_ups', answer: 'add', title: 'Follow-ups' }),
      pressRunning(
        { run: (_value, presser, ifAllowed) => run('', presser, ifAllowed) },
        { actionId: 'home_sessions', answer: 'add', title: 'Sessions' },
      ),
      admin.surface,
      webhooks.surface,
    ),
    firstRun: createFirstRun(app, async (viewer) =>
      (await app.isAdmin(viewer)) ? admin.accessOf(viewer.workspaceId) : undefined,
    ),
  };
}
