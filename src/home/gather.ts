import { LRUCache } from 'lru-cache';
import type { AccountNow } from '../admin/account.ts';
import type { AccessNow } from '../admin/access.ts';
import type { Finding } from '../admin/findings.ts';
import type { DeliveriesNow } from '../admin/undelivered.ts';
import type { CobrowseClient } from '../cobrowse/client.ts';
import { CobrowseError } from '../cobrowse/errors.ts';
import type { Viewer } from '../commands/rights.ts';
import { dayOf as dayIn, startOfDay, zoneOf } from '../messages/days.ts';
import { cobrowseFailureWords, rightUnknownWords } from '../messages/failure-words.ts';
import type { Part } from '../messages/message.ts';
import type { App } from '../parts.ts';
import {
  RightUnknownError,
  asking,
  canLook,
  type Act,
  type Refusal,
  type Verdict,
} from '../permissions/permissions.ts';
import type { WatchLinks } from '../sessions/watch-links.ts';
import type { WebhooksNow } from '../webhooks/messages.ts';
import type { HomeContent, Section } from './home-message.ts';
import { MOST_LINKS, dayOf, lookUp, type SlackProfile } from './my-day.ts';
import { online, type OnlineSources } from './online.ts';
import { createStarted, type StartedSources } from './started.ts';

export interface HomeSources
  extends
    OnlineSources,
    StartedSources,
    Pick<App, 'externalIdOf' | 'mayAct' | 'record' | 'settingsOf' | 'reportsEnds'> {
  readonly cobrowseOf: (
    workspaceId: string,
  ) => Promise<Pick<CobrowseClient, 'offers' | 'listVisitors' | 'visitor' | 'lookupAgent' | 'usage'>>;
  /** Rejects if Slack can't be asked. */
  readonly profileOf: (workspaceId: string, userId: string) => Promise<SlackProfile>;
  readonly linksOf: WatchLinks['of'];
  readonly followUpsOf: (viewer: Viewer, isAdmin: boolean) => Promise<readonly Part[]>;
  readonly accessOf: (workspaceId: string) => Promise<AccessNow>;
  readonly webhooksOf: (workspaceId: string) => Promise<WebhooksNow>;
  /** The workspace's account of the service, with many workspaces. */
  readonly accountOf: ((workspaceId: string) => Promise<AccountNow>) | undefined;
  /** What Slack doesn't let the app do; undefined if it's nothing, or Slack can't be asked. */
  readonly missingScopesOf: (workspaceId: string) => Promise<Finding | undefined>;
  readonly deliveriesOf: (viewer: Viewer) => Promise<DeliveriesNow>;
  /** Called for a section that failed; the rest is shown without it. */
  readonly report: (error: unknown, viewer: Viewer) => void;
}

/** Home is drawn again and again: showing the same person the same thing is recorded once in this time. */
const ON_RECORD_MS = 10 * 60 * 1_000;
const MOST_SHOWN = 2_000;

/** Whether a section showed the viewer the same recently; remembers it. Memory is enough: at worst it's recorded once more. */
function createRecently(now: () => number) {
  const shown = new LRUCache<string, { readonly what: string; readonly until: number }>({ max: MOST_SHOWN });
  return function recently({ workspaceId, userId }: Viewer, section: string, what: string): boolean {
    const key = `${workspaceId} ${userId} ${section}`;
    const last = shown.get(key);
    if (last?.what === what && last.until > now()) return true;
    shown.set(key, { what, until: now() + ON_RECORD_MS });
    return false;
  };
}

/** Gathers everything Home shows. A failure of the service or of Slack affects only its own section. */
export function createGather(sources: HomeSources) {
  const { mayAct, record, recording, now, report } = sources;
  const recently = createRecently(now);
  const started = createStarted(sources);

  async function section<T>(viewer: Viewer, work: () => Promise<T>): Promise<Section<T>> {
    try {
      return { had: await work() };
    } catch (error) {
      if (!(error instanceof RightUnknownError || error instanceof CobrowseError)) throw error;
      report(error, viewer);
      const words = error instanceof CobrowseError ? cobrowseFailureWords(error) : rightUnknownWords(error);
      return { failed: words };
    }
  }

  const refuse = (viewer: Viewer, act: Act | 'home', why: string) =>
    record({ ...viewer, action: 'refusal', outcome: why, detail: { act } });

  const may = (viewer: Viewer, act: Act) =>
    section(viewer, () =>
      asking(
        () => mayAct(act, viewer),
        (why) => refuse(viewer, act, why),
      ),
    );

  async function forAdmins(viewer: Viewer) {
    const { workspaceId } = viewer;
    const [deliveries, settings, access, webhooks, account, missingScopes] = await Promise.all([
      sources.deliveriesOf(viewer),
      sources.settingsOf(workspaceId),
      sources.accessOf(workspaceId),
      sources.webhooksOf(workspaceId),
      sources.accountOf?.(workspaceId),
      sources.missingScopesOf(workspaceId),
    ]);
    return { deliveries, settings, access, webhooks, account, missingScopes };
  }

  /** Undefined for people who can't see usage; not recorded as a refusal, since they didn't ask. */
  async function usageAndStarted(
    viewer: Viewer,
    zone: string,
    { offers, usage: askUsage }: Pick<CobrowseClient, 'offers' | 'usage'>,
  ): Promise<Pick<HomeContent, 'usage' | 'started'>> {
    const seeing = await may(viewer, 'usage');
    if ('failed' in seeing) return { started: seeing, ...(offers.usage && { usage: seeing }) };
    if (!seeing.had.allowed) return {};
    const numbers = () =>
      recently(viewer, 'usage', '')
        ? askUsage()
        : recording.around(viewer, { action: 'usage' }, () => askUsage());
    const [startedDays, usage] = await Promise.all([
      started(viewer.workspaceId, zone),
      offers.usage ? section(viewer, numbers) : undefined,
    ]);
    return { started: { had: startedDays }, usage };
  }

  /** What the viewer sees, or why nothing: only people who can watch and other members see customers. */
  return async function gather(viewer: Viewer): Promise<HomeContent | Refusal> {
    const { workspaceId, userId } = viewer;
    const [who, watching] = await Promise.all([
      sources.profileOf(workspaceId, userId).catch((error: unknown) => {
        report(error, viewer);
        return undefined;
      }),
      may(viewer, 'watch'),
    ]);
    if ('had' in watching && !watching.had.allowed && !canLook(watching.had)) {
      await refuse(viewer, 'home', watching.had.why);
      return watching.had.why;
    }
    const cobrowse = await sources.cobrowseOf(workspaceId);
    const isAdmin = who?.isAdmin === true;
    const zone = who === undefined ? 'UTC' : zoneOf(who);
    const today = new Date(startOfDay(dayIn(now(), zone), zone));
    const externalId = sources.externalIdOf(workspaceId, userId);
    const looking = section(viewer, () => lookUp(cobrowse, viewer, who, externalId, today));
    /** What names customers is for people who can see them. */
    const ifSeen = async <T>(work: (verdict: Verdict) => Promise<T>): Promise<Section<T>> =>
      'failed' in watching ? watching : section(viewer, () => work(watching.had));
    async function ownDay() {
      const [own, links] = await Promise.all([looking, sources.linksOf(workspaceId, userId, MOST_LINKS)]);
      const sessions = 'failed' in own ? undefined : (own.had.sessions ?? []);
      const day = await dayOf(cobrowse, links, today, sessions);
      return { ...day, reportsEnds: await sources.reportsEnds(workspaceId) };
    }
    const [you, onlineNow, day, followUps, counted, administered] = await Promise.all([
      looking,
      ifSeen((verdict) => online(sources, cobrowse, viewer, verdict, recently)),
      ifSeen(ownDay),
      'failed' in watching ? undefined : sources.followUpsOf(viewer, isAdmin),
      usageAndStarted(viewer, zone, cobrowse),
      isAdmin ? forAdmins(viewer) : {},
    ]);
    return {
      at: new Date(now()),
      you: 'failed' in you ? you : { had: you.had.identity },
      online: onlineNow,
      day,
      followUps,
      ...counted,
      ...administered,
    };
  };
}
