import type { CobrowseClient } from '../cobrowse/client.ts';
import { CobrowseError } from '../cobrowse/errors.ts';
import type { Usage } from '../cobrowse/schemas.ts';
import { RightUnknownError } from '../grants/acts.ts';
import type { Act, MayAct, Refusal, Verdict } from '../grants/acts.ts';
import { asking } from '../grants/asking.ts';
import type { Fate } from '../grants/fate.ts';
import type { WatchLinks } from '../grants/watch-links.ts';
import type { SettingsNow } from '../grants/settings.ts';
import type { NewEntry } from '../audit/audit.ts';
import { cobrowseFailureWords } from '../views/failure-words.ts';
import type { DeliveriesNow } from '../views/home-deliveries.ts';
import type { Had, HomeContent, UsageNow } from '../views/home.ts';
import { rightUnknownWords } from '../views/refusals.ts';
import type { GivenLink, GivenLinks } from '../views/home-work.ts';
import { visitorName } from '../views/visitor-pieces.ts';
import type { Recording } from '../audit/recording.ts';
import { createOnline } from './online.ts';
import type { OnlineSources } from './online.ts';
import { createRecently } from './recently.ts';
import { createLookUp, startOfDay } from './own-work.ts';
import type { OwnWork, SlackProfile } from './own-work.ts';
import type { Viewer } from './viewer.ts';

const LINKS_SHOWN = 5;

/** Where the Home's content comes from. */
export interface HomeSources extends OnlineSources {
  readonly cobrowse: Pick<CobrowseClient, 'offers' | 'listVisitors' | 'visitor' | 'lookupAgent' | 'usage'>;
  /** Rejects where Slack cannot be asked. */
  readonly profileOf: (workspaceId: string, userId: string) => Promise<SlackProfile>;
  /** The id under which the service knows a Slack user who has no account there. */
  readonly externalIdOf: (workspaceId: string, userId: string) => string;
  readonly mayAct: MayAct;
  readonly record: (entry: NewEntry) => Promise<void>;
  readonly recording: Pick<Recording, 'search' | 'around'>;
  readonly linksOf: WatchLinks['of'];
  readonly settingsOf: (workspaceId: string) => Promise<SettingsNow>;
  /** How summaries fare, for an admin. */
  readonly deliveriesOf: (viewer: Viewer) => Promise<DeliveriesNow>;
  readonly pictureOf: (usage: Usage) => UsageNow['picture'];
  /** Whether we learn of a session's end: the service tells us, or can be asked. */
  readonly tellsEnds: boolean;
  /** Told of a part that could not be had; the rest is shown without it. */
  readonly report: (error: unknown, viewer: Viewer) => void;
}

/** Gathers everything the Home shows. A failure of the service or of Slack takes only its own part with it. */
export function createGather(sources: HomeSources) {
  const {
    cobrowse,
    profileOf,
    mayAct,
    record,
    recording,
    linksOf,
    settingsOf,
    deliveriesOf,
    pictureOf,
    tellsEnds,
    now,
    report,
  } = sources;
  const lookUp = createLookUp(sources);
  const usageShown = createRecently(now);
  const online = createOnline(sources);

  async function had<T>(viewer: Viewer, work: () => Promise<T>): Promise<Had<T>> {
    try {
      return { had: await work() };
    } catch (error) {
      if (error instanceof RightUnknownError) {
        report(error, viewer);
        return { failed: rightUnknownWords(error.missingScope) };
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

  async function links({ workspaceId, userId }: Viewer): Promise<GivenLinks> {
    const given = await linksOf(workspaceId, userId, LINKS_SHOWN);
    const ids = [...new Set(given.map(({ grant }) => grant.visitorId))];
    // A visitor who is gone, and a service that fails, leave the id.
    const known = await Promise.all(ids.map((id) => cobrowse.visitor(id).catch(() => undefined)));
    const names = new Map(known.map((visitor, index) => [ids[index], visitor && visitorName(visitor)]));
    const latest = given.map(({ grant: { visitorId, power }, issuedAt, fate }) => ({
      visitor: names.get(visitorId) ?? visitorId,
      power,
      at: new Date(issuedAt),
      ...(fate === undefined ? {} : shown(fate)),
    }));
    return { latest, tellsEnds };
  }

  /** Undefined for who may not see it, and nothing on record: they did not ask for it. */
  async function usage(viewer: Viewer): Promise<Had<UsageNow> | undefined> {
    if (!cobrowse.offers.usage) return undefined;
    const seeing = await may(viewer, 'usage');
    if ('failed' in seeing) return seeing;
    return seeing.had.allowed ? had(viewer, () => numbers(viewer)) : undefined;
  }

  const askUsage = () => cobrowse.usage();

  async function numbers(viewer: Viewer): Promise<UsageNow> {
    const account = await (usageShown(viewer, 'usage')
      ? askUsage()
      : recording.around(viewer, { action: 'usage' }, askUsage));
    return { usage: account, picture: pictureOf(account) };
  }

  /** What the viewer is to see, or why nothing: customers are for those who may watch, and for other members. */
  return async function gather(viewer: Viewer): Promise<HomeContent | Refusal> {
    const [who, watching] = await Promise.all([profile(viewer), may(viewer, 'watch')]);
    if ('had' in watching && !watching.had.allowed && watching.had.why !== 'not-named') {
      await refuse(viewer, 'watch', watching.had.why);
      return watching.had.why;
    }
    const at = new Date(now());
    const today = startOfDay(at, who?.utcOffsetSeconds ?? 0);
    const [you, onlineNow, given, usageNow, deliveries, settings] = await Promise.all([
      had(viewer, () => lookUp(viewer, who, today)),
      'failed' in watching ? watching : had(viewer, () => online(viewer, watching.had)),
      'failed' in watching ? watching : had(viewer, () => links(viewer)),
      usage(viewer),
      who?.isAdmin === true ? deliveriesOf(viewer) : undefined,
      who?.isAdmin === true ? settingsOf(viewer.workspaceId) : undefined,
    ]);
    const sessions = 'failed' in you ? you : ownSessions(you.had, watching);
    return {
      at,
      you: 'failed' in you ? you : { had: you.had.identity },
      online: onlineNow,
      links: given,
      ...(sessions === undefined ? {} : { sessions }),
      ...(usageNow === undefined ? {} : { usage: usageNow }),
      ...(deliveries === undefined ? {} : { deliveries }),
      ...(settings === undefined ? {} : { settings }),
    };
  };
}

/** Customers are named in them, as in links: they are for who may see customers. */
function ownSessions({ sessions }: OwnWork, watching: Had<Verdict>): HomeContent['sessions'] {
  if (sessions === undefined) return undefined;
  return 'failed' in watching ? watching : { had: sessions };
}

function shown(fate: Fate): Pick<GivenLink, 'end' | 'concluded'> {
  if ('concluded' in fate) return { concluded: fate.concluded };
  const { endedAt, lengthSeconds } = fate;
  return { end: { at: new Date(endedAt), ...(lengthSeconds === undefined ? {} : { lengthSeconds }) } };
}
