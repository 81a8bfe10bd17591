import { LRUCache } from 'lru-cache';
import type { AccountNow } from '../admin/account.ts';
import type { Finding } from '../admin/findings.ts';
import type { AccessNow } from '../admin/access.ts';
import type { DeliveriesNow } from '../admin/undelivered.ts';
import type { NewEntry } from '../audit/audit.ts';
import type { Recording } from '../audit/recording.ts';
import type { CobrowseClient } from '../cobrowse/client.ts';
import { CobrowseError } from '../cobrowse/errors.ts';
import type { Usage } from '../cobrowse/schemas.ts';
import type { Viewer } from '../commands/rights.ts';
import { hasCome } from '../database/database.ts';
import { dayOf as dayIn, startOfDay, zoneOf } from '../messages/days.ts';
import { cobrowseFailureWords, rightUnknownWords } from '../messages/failure-words.ts';
import {
  RightUnknownError,
  asking,
  type Act,
  type MayAct,
  type Refusal,
} from '../permissions/permissions.ts';
import type { WatchLinks } from '../sessions/watch-links.ts';
import type { SettingsNow } from '../workspaces/settings.ts';
import type { WebhooksNow } from '../webhooks/messages.ts';
import type { Part } from '../messages/message.ts';
import type { Had, HomeContent } from './home-message.ts';
import { createDay, type MyDay } from './my-day.ts';
import { createOnline, type OnlineSources } from './online.ts';
import { createStarted, type StartedSources } from './started.ts';
import { createLookUp, type SlackProfile } from './you.ts';

/** Where Home's content comes from. */
export interface HomeSources extends Omit<OnlineSources, 'cobrowseOf'>, StartedSources {
  /** The workspace's account of the service. */
  readonly cobrowseOf: (
    workspaceId: string,
  ) => Promise<Pick<CobrowseClient, 'offers' | 'listVisitors' | 'visitor' | 'lookupAgent' | 'usage'>>;
  /** Rejects if Slack can't be asked. */
  readonly profileOf: (workspaceId: string, userId: string) => Promise<SlackProfile>;
  /** The id by which the service knows a Slack user without an account there. */
  readonly externalIdOf: (workspaceId: string, userId: string) => string;
  readonly mayAct: MayAct;
  readonly record: (entry: NewEntry) => Promise<void>;
  readonly recording: Pick<Recording, 'search' | 'around'>;
  readonly linksOf: WatchLinks['of'];
  readonly followUpsOf: (viewer: Viewer, isAdmin: boolean) => Promise<readonly Part[]>;
  readonly settingsOf: (workspaceId: string) => Promise<SettingsNow>;
  readonly accessOf: (workspaceId: string) => Promise<AccessNow>;
  readonly webhooksOf: (workspaceId: string) => Promise<WebhooksNow>;
  /** The workspace's account of the service, with many workspaces. */
  readonly accountOf: ((workspaceId: string) => Promise<AccountNow>) | undefined;
  /** What Slack doesn't let the app do; undefined if it's nothing, or Slack can't be asked. */
  readonly missingScopesOf: (workspaceId: string) => Promise<Finding | undefined>;
  /** The state of summaries, for an admin. */
  readonly deliveriesOf: (viewer: Viewer) => Promise<DeliveriesNow>;
  /** Whether a session's end becomes known: the service reports it, or can be asked. */
  readonly reportsEnds: (workspaceId: string) => Promise<boolean>;
  /** Called for a section that failed; the rest is shown without it. */
  readonly report: (error: unknown, viewer: Viewer) => void;
}

/** Home is drawn again and again: showing the same person the same thing is recorded once in this time. */
const ON_RECORD_MS = 10 * 60 * 1_000;
const MOST_SHOWN = 2_000;

/**
 * Whether a section showed a viewer the same a short while ago; remembers it if not. Memory is enough: at worst another
 * process records it once more.
 */
function createRecently(now: () => number) {
  const shown = new LRUCache<string, { readonly what: string; readonly until: number }>({
    max: MOST_SHOWN,
  });
  return function recently({ workspaceId, userId }: Viewer, section: string, what: string): boolean {
    const key = `${workspaceId} ${userId} ${section}`;
    const last = shown.get(key);
    if (last?.what === what && !hasCome(last.until, now(), ON_RECORD_MS)) return true;
    shown.set(key, { what, until: now() + ON_RECORD_MS });
    return false;
  };
}

/** Gathers everything Home shows. A failure of the service or of Slack affects only its own section. */
export function createGather(sources: HomeSources) {
  const {
    cobrowseOf,
    profileOf,
    mayAct,
    record,
    recording,
    settingsOf,
    accessOf,
    webhooksOf,
    accountOf,
    missingScopesOf,
    deliveriesOf,
    followUpsOf,
    now,
    report,
  } = sources;
  const recently = createRecently(now);
  const lookUp = createLookUp(sources);
  const online = createOnline(sources, recently);
  const dayOf = createDay(sources);
  const started = createStarted(sources);

  async function had<T>(viewer: Viewer, work: () => Promise<T>): Promise<Had<T>> {
    try {
      return { had: await work() };
    } catch (error) {
      if (error instanceof RightUnknownError) {
        report(error, viewer);
        return { failed: rightUnknownWords(error) };
      }
      if (!(error instanceof CobrowseError)) throw error;
      report(error, viewer);
      return { failed: cobrowseFailureWords(error) };
    }
  }

  function profile(viewer: Viewer): Promise<SlackProfile | undefined> {
    return profileOf(viewer.workspaceId, viewer.userId).catch((error: unknown) => {
      report(error, viewer);
      return undefined;
    });
  }

  const refuse = (viewer: Viewer, act: Act | 'home', why: string) =>
    record({ ...viewer, action: 'refusal', outcome: why, detail: { act } });

  const may = (viewer: Viewer, act: Act) =>
    had(viewer, () =>
      asking(
        () => mayAct(act, viewer),
        (why) => refuse(viewer, act, why),
      ),
    );

  async function numbers(viewer: Viewer, cobrowse: Pick<CobrowseClient, 'usage'>): Promise<Usage> {
    const askUsage = () => cobrowse.usage();
    return recently(viewer, 'usage', '')
      ? askUsage()
      : recording.around(viewer, { action: 'usage' }, askUsage);
  }

  async function forAdmins(
    viewer: Viewer,
  ): Promise<
    Pick<HomeContent, 'deliveries' | 'settings' | 'access' | 'webhooks' | 'account' | 'missingScopes'>
  > {
    const { workspaceId } = viewer;
    const [deliveries, settings, access, webhooks, account, missingScopes] = await Promise.all([
      deliveriesOf(viewer),
      settingsOf(workspaceId),
      accessOf(workspaceId),
      webhooksOf(workspaceId),
      accountOf?.(workspaceId),
      missingScopesOf(workspaceId),
    ]);
    return { deliveries, settings, access, webhooks, account, missingScopes };
  }

  /** Undefined for people who can't see usage; not recorded as a refusal, since they didn't ask. */
  async function usageAndStarted(
    viewer: Viewer,
    zone: string,
  ): Promise<Pick<HomeContent, 'usage' | 'started'>> {
    const [cobrowse, seeing] = await Promise.all([cobrowseOf(viewer.workspaceId), may(viewer, 'usage')]);
    const { usage: isOffered } = cobrowse.offers;
    if ('failed' in seeing) return { started: seeing, ...(isOffered ? { usage: seeing } : {}) };
    if (!seeing.had.allowed) return {};
    const [startedDays, usage] = await Promise.all([
      started(viewer.workspaceId, zone),
      isOffered ? had(viewer, () => numbers(viewer, cobrowse)) : undefined,
    ]);
    return { started: { had: startedDays }, usage };
  }

  /** What the viewer sees, or why nothing: only people who can watch and other members see customers. */
  return async function gather(viewer: Viewer): Promise<HomeContent | Refusal> {
    const [who, watching] = await Promise.all([profile(viewer), may(viewer, 'watch')]);
    if ('had' in watching && !watching.had.allowed && watching.had.why !== 'not-named') {
      await refuse(viewer, 'home', watching.had.why);
      return watching.had.why;
    }
    const at = new Date(now());
    const zone = who === undefined ? 'UTC' : zoneOf(who);
    const today = new Date(startOfDay(dayIn(at.getTime(), zone), zone));
    const looking = had(viewer, () => lookUp(viewer, who, today));
    /** Names customers, so it's for people who can see them. */
    async function ownDay(): Promise<MyDay> {
      const own = await looking;
      return dayOf(viewer, today, 'failed' in own ? undefined : (own.had.sessions ?? []));
    }
    const [you, onlineNow, myDay, followUps, counted, administered] = await Promise.all([
      looking,
      'failed' in watching ? watching : had(viewer, () => online(viewer, watching.had)),
      'failed' in watching ? watching : had(viewer, ownDay),
      'failed' in watching ? undefined : followUpsOf(viewer, who?.isAdmin === true),
      usageAndStarted(viewer, zone),
      who?.isAdmin === true ? forAdmins(viewer) : {},
    ]);
    return {
      at,
      you: 'failed' in you ? you : { had: you.had.identity },
      online: onlineNow,
      day: myDay,
      followUps,
      ...counted,
      ...administered,
    };
  };
}
