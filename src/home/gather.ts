import type { CobrowseClient } from '../cobrowse/client.ts';
import { CobrowseError } from '../cobrowse/errors.ts';
import type { Usage } from '../cobrowse/schemas.ts';
import type { GrantRecords } from '../grants/records.ts';
import type { SettingsBook } from '../grants/settings.ts';
import { cobrowseFailureWords } from '../views/failure-words.ts';
import type { Had, HomeContent, UsageNow } from '../views/home.ts';
import type { GivenLinks } from '../views/home-work.ts';
import type { VisitorTools } from '../views/visitor-buttons.ts';
import { VISITORS_ON_A_PAGE } from '../views/visitor-list.ts';
import { visitorName } from '../views/visitor-pieces.ts';
import { createLookUp, startOfDay } from './own-work.ts';
import type { SlackProfile } from './own-work.ts';
import type { Viewer } from './viewer.ts';

const LINKS_SHOWN = 5;

/** Where the Home's content comes from. */
export interface HomeSources {
  readonly cobrowse: Pick<CobrowseClient, 'offers' | 'listVisitors' | 'visitor' | 'lookupAgent' | 'usage'>;
  /** Rejects where Slack cannot be asked. */
  readonly profileOf: (workspaceId: string, userId: string) => Promise<SlackProfile>;
  /** The id under which the service knows a Slack user who has no account there. */
  readonly externalIdOf: (workspaceId: string, userId: string) => string;
  readonly visitorTools: (viewer: Viewer) => Promise<VisitorTools>;
  readonly linksOf: GrantRecords['of'];
  readonly settingsOf: SettingsBook['of'];
  readonly pictureOf: (usage: Usage) => UsageNow['picture'];
  /** Whether the service tells us of a session's end. */
  readonly tellsEnds: boolean;
  readonly now: () => number;
  /** Told of a part that could not be had; the rest is shown without it. */
  readonly report: (error: unknown, viewer: Viewer) => void;
}

/** Gathers everything the Home shows. A failure of the service or of Slack takes only its own part with it. */
export function createGather(sources: HomeSources) {
  const { cobrowse, profileOf, visitorTools, linksOf, settingsOf, pictureOf, tellsEnds, now, report } =
    sources;
  const lookUp = createLookUp(sources);

  async function had<T>(viewer: Viewer, work: () => Promise<T>): Promise<Had<T>> {
    try {
      return { had: await work() };
    } catch (error) {
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

  async function online(viewer: Viewer) {
    const limit = VISITORS_ON_A_PAGE + 1;
    const [found, tools] = await Promise.all([
      cobrowse.listVisitors({ search: 'online', limit }),
      visitorTools(viewer),
    ]);
    const visitors = found.filter((visitor) => visitor.is_online !== false);
    return {
      visitors: visitors.slice(0, VISITORS_ON_A_PAGE),
      hasMore: visitors.length > VISITORS_ON_A_PAGE,
      tools,
    };
  }

  async function links({ workspaceId, userId }: Viewer): Promise<GivenLinks> {
    const given = await linksOf(workspaceId, userId, LINKS_SHOWN);
    const ids = [...new Set(given.map(({ grant }) => grant.visitorId))];
    // A visitor who is gone, and a service that fails, leave the id.
    const known = await Promise.all(ids.map((id) => cobrowse.visitor(id).catch(() => undefined)));
    const names = new Map(known.map((visitor, index) => [ids[index], visitor && visitorName(visitor)]));
    const latest = given.map(({ grant: { visitorId, power }, issuedAt, end }) => ({
      visitor: names.get(visitorId) ?? visitorId,
      power,
      at: new Date(issuedAt),
      ...(end === undefined ? {} : { end: { at: new Date(end.endedAt), ...lengthOf(end) } }),
    }));
    return { latest, tellsEnds };
  }

  const usage = async () => {
    const numbers = await cobrowse.usage();
    return { usage: numbers, picture: pictureOf(numbers) };
  };

  return async function gather(viewer: Viewer): Promise<HomeContent | undefined> {
    const who = await profile(viewer);
    if (who?.isStranger === true) return undefined;
    const at = new Date(now());
    const today = startOfDay(at, who?.utcOffsetSeconds ?? 0);
    const [you, onlineNow, given, numbers, settings] = await Promise.all([
      had(viewer, () => lookUp(viewer, who, today)),
      had(viewer, () => online(viewer)),
      links(viewer),
      cobrowse.offers.usage ? had(viewer, usage) : undefined,
      who?.isAdmin === true ? settingsOf(viewer.workspaceId) : undefined,
    ]);
    const sessions = 'failed' in you ? you : you.had.sessions && { had: you.had.sessions };
    return {
      at,
      you: 'failed' in you ? you : { had: you.had.identity },
      online: onlineNow,
      links: given,
      ...(sessions === undefined ? {} : { sessions }),
      ...(numbers === undefined ? {} : { usage: numbers }),
      ...(settings === undefined ? {} : { settings }),
    };
  };
}

function lengthOf({ lengthSeconds }: { readonly lengthSeconds?: number | undefined }) {
  return lengthSeconds === undefined ? {} : { lengthSeconds };
}
