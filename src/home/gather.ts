import type { AccessNow } from '../admin/default-access.ts';
import type { DeliveriesNow } from '../admin/undelivered-list.ts';
import type { NewEntry } from '../audit/audit.ts';
import type { Recording } from '../audit/recording.ts';
import type { CobrowseClient } from '../cobrowse/client.ts';
import { CobrowseError } from '../cobrowse/errors.ts';
import type { Session, Usage } from '../cobrowse/schemas.ts';
import type { Viewer } from '../commands/caller.ts';
import { cobrowseFailureWords } from '../messages/failure-words.ts';
import { rightUnknownWords } from '../messages/refusals.ts';
import { visitorName } from '../messages/visitor-pieces.ts';
import { RightUnknownError } from '../permissions/acts.ts';
import type { Act, MayAct, Refusal } from '../permissions/acts.ts';
import { asking } from '../permissions/permissions.ts';
import type { WatchLinks } from '../sessions/watch-links.ts';
import { startOfDay } from '../start-of-day.ts';
import type { SettingsNow } from '../workspaces/settings.ts';
import type { Had, HomeContent } from './home-message.ts';
import { mergeDay } from './my-day.ts';
import type { DayEntry, MyDay } from './my-day.ts';
import { createOnline } from './online.ts';
import type { OnlineSources } from './online.ts';
import { createLookUp } from './own-work.ts';
import type { SlackProfile } from './own-work.ts';
import { createRecently } from './recently.ts';
import { createStarted } from './started.ts';
import type { StartedNow } from './started.ts';

/** More than anyone opens in a day. */
const MOST_LINKS = 50;
/** Each may cost a request for the visitor's name. */
const DAY_SHOWN = 8;

/** Where Home's content comes from. */
export interface HomeSources extends Omit<OnlineSources, 'cobrowseOf'> {
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
  readonly usedPerDay: WatchLinks['usedPerDay'];
  readonly settingsOf: (workspaceId: string) => Promise<SettingsNow>;
  readonly accessOf: (workspaceId: string) => Promise<AccessNow>;
  /** The state of summaries, for an admin. */
  readonly deliveriesOf: (viewer: Viewer) => Promise<DeliveriesNow>;
  readonly pictureOf: (days: StartedNow['days']) => StartedNow['picture'];
  /** Whether a session's end becomes known: the service reports it, or can be asked. */
  readonly reportsEnds: (workspaceId: string) => Promise<boolean>;
  /** Called for a section that failed; the rest is shown without it. */
  readonly report: (error: unknown, viewer: Viewer) => void;
}

/** Gathers everything Home shows. A failure of the service or of Slack affects only its own section. */
export function createGather(sources: HomeSources) {
  const {
    cobrowseOf,
    profileOf,
    mayAct,
    record,
    recording,
    linksOf,
    settingsOf,
    accessOf,
    deliveriesOf,
    pictureOf,
    reportsEnds,
    now,
    report,
  } = sources;
  const lookUp = createLookUp(sources);
  const usageShown = createRecently(now);
  const online = createOnline(sources);
  const started = createStarted(sources.usedPerDay, now);

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
      return { failed: cobrowseFailureWords(error.kind, error.code) };
    }
  }

  function profile(viewer: Viewer): Promise<SlackProfile | undefined> {
    return profileOf(viewer.workspaceId, viewer.userId).catch((error: unknown) => {
      report(error, viewer);
      return undefined;
    });
  }

  const refuse = (viewer: Viewer, act: Act, why: string) =>
    record({ ...viewer, action: 'refusal', outcome: why, detail: { act } });

  const may = (viewer: Viewer, act: Act) =>
    had(viewer, () =>
      asking(
        () => mayAct(act, viewer),
        (why) => refuse(viewer, act, why),
      ),
    );

  /** Undefined if the visitor is gone, or the service fails. */
  async function namesOf(workspaceId: string, visitorIds: ReadonlySet<string>) {
    const cobrowse = await cobrowseOf(workspaceId);
    const named = Array.from(visitorIds, async (id) => {
      const visitor = await cobrowse.visitor(id).catch(() => undefined);
      return [id, visitor && visitorName(visitor)] as const;
    });
    return new Map(await Promise.all(named));
  }

  /** @param sessions undefined if the service couldn't be asked for them */
  async function day(
    { workspaceId, userId }: Viewer,
    today: Date,
    sessions: readonly Session[] | undefined,
  ): Promise<MyDay> {
    const links = await linksOf(workspaceId, userId, MOST_LINKS);
    const ofToday = links.filter(({ issuedAt }) => issuedAt >= today.getTime());
    const all = mergeDay(ofToday, sessions ?? []);
    const shown = all.slice(0, DAY_SHOWN);
    const ids = shown.flatMap(({ visitorId }) => (visitorId === undefined ? [] : [visitorId]));
    const names = await namesOf(workspaceId, new Set(ids));
    const latest = shown.map((row): DayEntry => {
      const visitor = names.get(row.visitorId ?? '') ?? row.visitorId ?? '';
      const at = new Date(row.at);
      return 'session' in row
        ? { visitor, at, session: row.session }
        : { visitor, at, result: row.link.result };
    });
    return {
      latest,
      earlier: all.length - shown.length,
      hasSessions: sessions !== undefined,
      reportsEnds: await reportsEnds(workspaceId),
    };
  }

  async function numbers(viewer: Viewer, cobrowse: Pick<CobrowseClient, 'usage'>): Promise<Usage> {
    const askUsage = () => cobrowse.usage();
    return usageShown(viewer, 'usage') ? askUsage() : recording.around(viewer, { action: 'usage' }, askUsage);
  }

  async function startedNow(
    { workspaceId }: Viewer,
    today: Date,
    utcOffsetSeconds: number,
  ): Promise<StartedNow> {
    const days = await started(workspaceId, today, utcOffsetSeconds);
    return { days, picture: pictureOf(days) };
  }

  async function forAdmins(viewer: Viewer): Promise<Pick<HomeContent, 'deliveries' | 'settings' | 'access'>> {
    const { workspaceId } = viewer;
    const [deliveries, settings, access] = await Promise.all([
      deliveriesOf(viewer),
      settingsOf(workspaceId),
      accessOf(workspaceId),
    ]);
    return { deliveries, settings, access };
  }

  /** Undefined for people who can't see usage; not recorded as a refusal, since they didn't ask. */
  async function usageAndStarted(
    viewer: Viewer,
    today: Date,
    utcOffsetSeconds: number,
  ): Promise<Pick<HomeContent, 'usage' | 'started'>> {
    const [cobrowse, seeing] = await Promise.all([cobrowseOf(viewer.workspaceId), may(viewer, 'usage')]);
    const { usage: isOffered } = cobrowse.offers;
    if ('failed' in seeing) return { started: seeing, ...(isOffered ? { usage: seeing } : {}) };
    if (!seeing.had.allowed) return {};
    const [startedDays, usage] = await Promise.all([
      startedNow(viewer, today, utcOffsetSeconds),
      isOffered ? had(viewer, () => numbers(viewer, cobrowse)) : undefined,
    ]);
    return { started: { had: startedDays }, ...(usage === undefined ? {} : { usage }) };
  }

  /** What the viewer sees, or why nothing: only people who can watch and other members see customers. */
  return async function gather(viewer: Viewer): Promise<HomeContent | Refusal> {
    const [who, watching] = await Promise.all([profile(viewer), may(viewer, 'watch')]);
    if ('had' in watching && !watching.had.allowed && watching.had.why !== 'not-named') {
      await refuse(viewer, 'watch', watching.had.why);
      return watching.had.why;
    }
    const at = new Date(now());
    const offset = who?.utcOffsetSeconds ?? 0;
    const today = startOfDay(at, offset);
    const looking = had(viewer, () => lookUp(viewer, who, today));
    /** Names customers, so it's for people who can see them. */
    async function ownDay(): Promise<MyDay> {
      const own = await looking;
      return day(viewer, today, 'failed' in own ? undefined : (own.had.sessions ?? []));
    }
    const [you, onlineNow, myDay, counted, administered] = await Promise.all([
      looking,
      'failed' in watching ? watching : had(viewer, () => online(viewer, watching.had)),
      'failed' in watching ? watching : had(viewer, ownDay),
      usageAndStarted(viewer, today, offset),
      who?.isAdmin === true ? forAdmins(viewer) : {},
    ]);
    return {
      at,
      you: 'failed' in you ? you : { had: you.had.identity },
      online: onlineNow,
      day: myDay,
      ...counted,
      ...administered,
    };
  };
}
