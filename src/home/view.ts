import type { HomeView, KnownBlock } from '@slack/types';
import { LRUCache } from 'lru-cache';
import { accessOffer } from '../admin/access.ts';
import type { createAdmin } from '../admin/admin.ts';
import { findingLine } from '../admin/findings.ts';
import { settingsParts } from '../admin/settings-list.ts';
import { usageLines } from '../admin/usage.ts';
import { CobrowseError } from '../cobrowse/errors.ts';
import type { Viewer } from '../commands/rights.ts';
import { sessionsChart, type ChartBlock } from '../messages/chart.ts';
import { dayOf, startOfDay, zoneOf } from '../messages/days.ts';
import {
  cobrowseFailureWords,
  refused,
  rightUnknownWords,
  type FailureWords,
} from '../messages/failure-words.ts';
import { button, buttons, heading, lines, type Message } from '../messages/message.ts';
import { bold, given, plain, time, type Maybe } from '../messages/text.ts';
import { startButton } from '../messages/visitor-pieces.ts';
import type { App, OfWorkspace } from '../parts.ts';
import { asking, canLook, RightUnknownError, type Act, type Verdict } from '../permissions/permissions.ts';
import type { WatchLinks } from '../sessions/watch-links.ts';
import type { createFollowUpLists } from '../team/follow-up-lists.ts';
import type { createWebhooksAtHome } from '../webhooks/at-home.ts';
import { webhooksSection } from '../webhooks/messages.ts';
import type { Workspace } from '../workspaces/workspaces.ts';
import { dayParts, lookUp, MOST_LINKS, whoYouAre, type DayService } from './my-day.ts';
import { createOnline, type OnlineSources } from './online.ts';
import { startedDays, startedParts } from './started.ts';

/** Slack's limit for a Home tab. */
const MOST_BLOCKS = 100;
const TITLE = 'Co-browsing';
const ONLINE = 'Online now';
const DAY = 'My day';
const STARTED = 'Sessions started from Slack';
const USAGE = 'Account usage';
const YOU = 'You';

type Block = KnownBlock | ChartBlock;

export interface HomeTab extends HomeView {
  readonly blocks: Block[];
}

type HomePart = Maybe<{ readonly blocks: readonly Block[] }>;

const refresh = button({ text: 'Refresh', actionId: 'home_refresh', label: 'Refresh this tab' });

/** Enter searches. Source: docs.slack.dev/reference/block-kit/blocks/input-block, `dispatch_action`. */
const search: KnownBlock = {
  type: 'input',
  // Always the same, so that typed text stays when the tab is redrawn.
  block_id: 'home_search',
  dispatch_action: true,
  label: plain('Find a customer'),
  element: {
    type: 'plain_text_input',
    action_id: 'home_search',
    placeholder: plain('Name, email or lookup code'),
    max_length: 200,
    dispatch_action_config: { trigger_actions_on: ['on_enter_pressed'] },
  },
};

const home = (...parts: readonly HomePart[]): HomeTab => ({
  type: 'home',
  blocks: given(parts)
    .flatMap(({ blocks }) => blocks)
    .slice(0, MOST_BLOCKS),
});

/** The tab without its chart, which only repeats the numbers above it; undefined where there is none. */
export function withoutChart({ type, blocks }: HomeTab): HomeTab | undefined {
  const rest = blocks.filter((block) => block.type !== 'data_visualization');
  return rest.length === blocks.length ? undefined : { type, blocks: rest };
}

/** Shown immediately, before anything is looked up. */
export const homeSkeleton = (): HomeTab =>
  home(heading(TITLE), lines(['Loading from the co-browsing service…']));

export const failedHome = (words: Message): HomeTab => home(heading(TITLE), words, buttons(refresh));

/** Home is drawn again and again: showing the same person the same thing is recorded once in this time. */
const ON_RECORD_MS = 10 * 60 * 1_000;

/** Whether the viewer was shown that recently. Memory is enough: at worst it's recorded once more. */
function createRecently(now: () => number) {
  const shown = new LRUCache<string, true>({
    max: 2_000,
    ttl: ON_RECORD_MS,
    ttlResolution: 0,
    perf: { now },
  });
  return function recently({ workspaceId, userId }: Viewer, what: string): boolean {
    const key = `${workspaceId} ${userId} ${what}`;
    if (shown.has(key)) return true;
    shown.set(key, true);
    return false;
  };
}

function failureOf(error: unknown): FailureWords {
  if (error instanceof CobrowseError) return cobrowseFailureWords(error);
  if (error instanceof RightUnknownError) return rightUnknownWords(error);
  throw error;
}

function ifUnknown(error: unknown): RightUnknownError {
  if (error instanceof RightUnknownError) return error;
  throw error;
}

export type HomeWorkspace = Pick<Workspace, 'settings' | 'endSource'> & {
  readonly cobrowse: DayService & Pick<Workspace['cobrowse'], 'listVisitors' | 'usage'>;
};

export type HomeApp = Pick<
  App,
  'externalIdOf' | 'mayAct' | 'recordRefusal' | 'recording' | 'profileOf' | 'now'
> &
  OfWorkspace<HomeWorkspace>;

export interface HomeRooms extends OnlineSources {
  readonly admin: Pick<
    ReturnType<typeof createAdmin>,
    'deliveriesOf' | 'accessOf' | 'accountOf' | 'missingScopesOf'
  >;
  readonly webhooks: Pick<ReturnType<typeof createWebhooksAtHome>, 'of'>;
  readonly links: Pick<WatchLinks, 'of' | 'usedPerDay'>;
  readonly followUps: Pick<ReturnType<typeof createFollowUpLists>, 'atHome'>;
  /** Called for a section that failed; the rest is shown without it. */
  readonly report: (error: unknown, viewer: Viewer) => void;
}

async function forAdmins({ admin, webhooks }: HomeRooms, viewer: Viewer, workspace: HomeWorkspace) {
  const { workspaceId } = viewer;
  const [deliveries, settings, access, hooks, account, missingScopes] = await Promise.all([
    admin.deliveriesOf(viewer),
    workspace.settings(),
    admin.accessOf(workspaceId),
    webhooks.of(workspaceId),
    admin.accountOf?.(workspaceId),
    admin.missingScopesOf(workspaceId),
  ]);
  return {
    missingScopes,
    settings: [
      heading('Settings'),
      ...accessOffer(access),
      ...settingsParts(settings),
      heading('Webhooks'),
      ...webhooksSection(hooks),
      heading('Summaries'),
      ...deliveries,
    ],
    // Nothing works without it.
    isConnectionFirst: account?.isUnconnected,
    connection: account && [heading('Co-browsing account'), ...account.parts],
  };
}

function createSections({ mayAct, recordRefusal, recording, now }: HomeApp, rooms: HomeRooms) {
  const { links, report } = rooms;
  const recently = createRecently(now);

  async function section(viewer: Viewer, title: string, work: () => Promise<readonly HomePart[]>) {
    try {
      return await work();
    } catch (error) {
      const { text, next } = failureOf(error);
      report(error, viewer);
      return [heading(title), lines([bold(text)], [next])];
    }
  }

  const may = (viewer: Viewer, act: Act) =>
    asking(
      () => mayAct(act, viewer),
      (why) => recordRefusal(act, why, viewer),
    );

  /** Nothing for people who can't see usage; that's not recorded as a refusal, since they didn't ask. */
  function counted(viewer: Viewer, zone: string, { cobrowse }: HomeWorkspace) {
    const counting = may(viewer, 'usage');
    const numbers = () =>
      recently(viewer, 'usage')
        ? cobrowse.usage()
        : recording.around(viewer, { action: 'usage' }, () => cobrowse.usage());
    return [
      section(viewer, STARTED, async () => {
        if (!(await counting).allowed) return [];
        const days = await startedDays(links, viewer.workspaceId, zone, now());
        return [heading(STARTED), ...startedParts(days), { blocks: given([sessionsChart(STARTED, days)]) }];
      }),
      section(viewer, USAGE, async () =>
        cobrowse.offers.usage && (await counting).allowed
          ? [heading(USAGE), lines(...usageLines(await numbers()))]
          : [],
      ),
    ];
  }

  return { section, may, counted, onlineNow: createOnline(rooms, recording, recently) };
}

/** Draws everything Home shows somebody. A failure of the service or of Slack affects only its own section. */
export function createView(app: HomeApp, rooms: HomeRooms) {
  const { links, followUps, report } = rooms;
  const { recordRefusal, now } = app;
  const { section, may, counted, onlineNow } = createSections(app, rooms);

  /** Only people who can watch and other members see customers. */
  return async function view(viewer: Viewer): Promise<HomeTab> {
    const { workspaceId, userId } = viewer;
    const [who, watching] = await Promise.all([
      app.profileOf(workspaceId, userId).catch((error: unknown) => {
        report(error, viewer);
        return undefined;
      }),
      may(viewer, 'watch').catch(ifUnknown),
    ]);
    const isKnown = !(watching instanceof RightUnknownError);
    if (isKnown && !watching.allowed && !canLook(watching)) {
      await recordRefusal('home', watching.why, viewer);
      return failedHome(refused('watch', watching.why));
    }
    const mayWatch = !isKnown || watching.allowed;
    const workspace = await app.workspaceOf(workspaceId);
    const { cobrowse } = workspace;
    const isAdmin = who?.isAdmin === true;
    const zone = who === undefined ? 'UTC' : zoneOf(who);
    const today = startOfDay(dayOf(now(), zone), zone);
    const own = lookUp(cobrowse, who, app.externalIdOf(workspaceId, userId), today);
    /** What names customers is for people who can see them. */
    const ifSeen = (title: string, work: (verdict: Verdict) => Promise<readonly HomePart[]>) =>
      section(viewer, title, async () => {
        if (watching instanceof RightUnknownError) throw watching;
        return work(watching);
      });
    const [online, day, you, ownFollowUps, ofAdmins, ...numbers] = await Promise.all([
      ifSeen(ONLINE, (verdict) => onlineNow(viewer, cobrowse, verdict)),
      ifSeen(DAY, async () => {
        const sessions = own.then(
          (found) => found.sessions,
          () => 'failed' as const,
        );
        const latest = await links.of(workspaceId, userId, MOST_LINKS);
        return [
          heading(DAY),
          ...(await dayParts(cobrowse, latest, today, await sessions, workspace.endSource !== 'never')),
        ];
      }),
      section(viewer, YOU, async () => [heading(YOU), ...whoYouAre(await own, who, mayWatch)]),
      isKnown ? followUps.atHome(viewer, isAdmin) : [],
      isAdmin ? forAdmins(rooms, viewer, workspace) : undefined,
      ...counted(viewer, zone, workspace),
    ]);
    const { missingScopes, settings = [], connection = [], isConnectionFirst } = ofAdmins ?? {};
    return home(
      heading(TITLE),
      missingScopes && lines(findingLine(missingScopes)),
      ...(isConnectionFirst ? connection : []),
      { blocks: [search] },
      buttons(mayWatch && startButton('Start co-browsing'), refresh),
      lines(['Updated ', time(new Date(now()))]),
      // Above the lists, which are long.
      ...settings,
      ...(isConnectionFirst ? [] : connection),
      ...online,
      ...ownFollowUps,
      ...day,
      ...numbers.flat(),
      ...you,
    );
  };
}
