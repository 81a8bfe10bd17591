import type { CobrowseClient } from '../cobrowse/client.ts';
import { valueOf } from '../messages/link-request.ts';
import type { LinkPress, LinkRequest, Place } from '../messages/link-request.ts';
import type { EndSource } from '../messages/link-result.ts';
import type { VisitorTools, WatchTarget } from '../messages/visitor-buttons.ts';
import { accessLevelsUpTo } from '../permissions/access.ts';
import type { Refusal } from '../permissions/acts.ts';
import type { TicketKind } from '../tickets.ts';
import { defaultAccessIn } from '../workspaces/settings.ts';
import type { SettingsNow } from '../workspaces/settings.ts';
import type { LostPresses } from './lost-presses.ts';
import type { StartOptions } from './start-form.ts';

/** How long a Watch button may be pressed after it was drawn. */
const WATCH_TICKET_MS = 30 * 60 * 1_000;

/** For whom a button is drawn, and where. */
interface Reader extends Place {
  readonly workspaceId: string;
  readonly userId: string;
  /** Why they can't watch, if they can't. */
  readonly mayNotWatch?: Refusal;
}

export interface ButtonsParts {
  readonly workspaceOf: (workspaceId: string) => Promise<{
    readonly cobrowse: Pick<CobrowseClient, 'offers'>;
    readonly endSource: EndSource;
    readonly defaults: { readonly summaryChannel: string | undefined };
    settings(): Promise<SettingsNow>;
  }>;
  readonly tickets: Pick<TicketKind<LinkRequest>, 'issue'>;
  readonly lostPresses: Pick<LostPresses, 'isRemembered'>;
  /** Undefined: buttons have no address of ours. */
  readonly publicUrl: string | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** What the buttons that lead to a link say, and where they lead. */
export interface Buttons {
  /** Where a button leads that makes a link, for this reader. */
  readonly pressTarget: (press: LinkPress, reader: Reader) => Promise<WatchTarget>;
  /** What the reader may do with visitors, Watch targets sealed for them. */
  readonly visitorTools: (reader: Reader) => Promise<VisitorTools>;
  /** What the form of "Start co-browsing" offers in a workspace. */
  readonly startOptions: (workspaceId: string) => Promise<StartOptions>;
}

export function createButtons({ workspaceOf, tickets, lostPresses, publicUrl, now }: ButtonsParts): Buttons {
  /** Where it can't be read, the button has its address: then its page helps. */
  const isLost = async (reader: Reader) =>
    publicUrl !== undefined && lostPresses.isRemembered(reader).catch(() => false);

  function targetOf(press: LinkPress, reader: Reader, isAnswered: boolean): WatchTarget {
    const { workspaceId, userId, channelId, threadTs, notes } = reader;
    const value = valueOf({ press, for: userId });
    if (publicUrl === undefined) return { value };
    if (isAnswered) return { value, isAnswered };
    const request: LinkRequest = { workspaceId, userId, channelId, threadTs, notes, ...press };
    return { value, url: `${publicUrl}/watch/${tickets.issue(request, WATCH_TICKET_MS)}` };
  }

  return {
    pressTarget: async (press, reader) => targetOf(press, reader, await isLost(reader)),
    async visitorTools(reader) {
      const isAnswered = await isLost(reader);
      const workspace = await workspaceOf(reader.workspaceId);
      const settings = await workspace.settings();
      return {
        canStop: workspace.cobrowse.offers.stopSession,
        at: new Date(now()),
        ...(reader.mayNotWatch === undefined ? {} : { mayNotWatch: reader.mayNotWatch }),
        targetsOf: (visitorId) => ({
          usual: targetOf(
            { visitorId, access: defaultAccessIn(settings, reader.channelId) },
            reader,
            isAnswered,
          ),
          choices: accessLevelsUpTo(settings.maxAccess).map((access) => ({
            access,
            target: targetOf({ visitorId, access }, reader, isAnswered),
          })),
        }),
      };
    },
    async startOptions(workspaceId) {
      const workspace = await workspaceOf(workspaceId);
      const settings = await workspace.settings();
      const accessLevels = accessLevelsUpTo(settings.maxAccess);
      const usual = defaultAccessIn(settings, undefined);
      if (workspace.endSource === 'never') return { accessLevels, usual, summariesTo: 'nowhere' };
      const { summaryChannel } = workspace.defaults;
      return {
        accessLevels,
        usual,
        summariesTo: summaryChannel === undefined ? 'person' : { channelId: summaryChannel },
      };
    },
  };
}
