import type { CobrowseClient } from '../cobrowse/client.ts';
import type { Database } from '../database/database.ts';
import { LinkRequest, valueOf, type LinkPress, type Place } from '../messages/link-request.ts';
import type { VisitorTools, WatchTarget } from '../messages/visitor-buttons.ts';
import type { IsShared } from '../messages/visitor-pieces.ts';
import { accessLevelsUpTo } from '../permissions/access.ts';
import type { Refusal } from '../permissions/acts.ts';
import { isChannel } from '../permissions/slack-ids.ts';
import type { createTickets } from '../http/tickets.ts';
import { defaultAccessIn, type SettingsNow } from '../workspaces/settings.ts';
import { createUnconfirmedPresses } from './unconfirmed-presses.ts';

/** How long a Watch button may be pressed after it was drawn. */
const WATCH_TICKET_MS = 30 * 60 * 1_000;

/** For whom a button is drawn, and where. */
interface Reader extends Place {
  readonly workspaceId: string;
  readonly userId: string;
  /** Why they can't watch, if they can't. */
  readonly mayNotWatch?: Refusal;
}

export type Buttons = ReturnType<typeof createButtons>;

/** What the buttons that lead to a link say, and where they lead. */
export function createButtons({
  database,
  workspaceOf,
  ticketKind,
  isShared,
  isAppIn,
  publicUrl,
  now,
}: {
  readonly database: Database;
  readonly workspaceOf: (workspaceId: string) => Promise<{
    readonly cobrowse: Pick<CobrowseClient, 'offers'>;
    readonly installId?: string;
    settings(): Promise<SettingsNow>;
  }>;
  readonly isShared: IsShared;
  /** Undefined if Slack doesn't say. Never rejects. */
  readonly isAppIn: (workspaceId: string, channelId: string) => Promise<boolean | undefined>;
  readonly ticketKind: ReturnType<typeof createTickets>;
  /** Undefined: buttons have no address of ours. */
  readonly publicUrl: string | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}) {
  const tickets = ticketKind('watch', LinkRequest);
  const unconfirmedPresses = createUnconfirmedPresses(database, now);

  /** Where it can't be read, the button has its address: then its page helps. */
  const isLost = async (reader: Reader) =>
    publicUrl !== undefined && unconfirmedPresses.isRemembered(reader).catch(() => false);

  function targetOf(
    press: LinkPress,
    reader: Reader & { readonly installId: string | undefined },
    isAnswered: boolean,
    isOption = false,
  ): WatchTarget {
    const { workspaceId, installId, userId, channelId, threadTs, askedIn, notes, ticketUrl, isAsked } =
      reader;
    const hasAddress = publicUrl !== undefined && !isAnswered;
    // Whoever was asked sees the button in their direct messages, and the session belongs elsewhere. A menu's option has no
    // room for a ticket: where it has an address, that has it.
    const isSaid = isAsked !== undefined || (ticketUrl !== undefined && !(isOption && hasAddress));
    const place = isSaid ? { channelId, threadTs, askedIn, notes, ticketUrl, isAsked } : undefined;
    const value = valueOf({ press, for: userId, place });
    if (publicUrl === undefined) return { value };
    if (isAnswered) return { value, isAnswered };
    const about = { workspaceId, installId, userId, channelId, threadTs, askedIn, notes };
    const request: LinkRequest =
      'proxy' in press ? { ...about, ...press } : { ...about, ticketUrl, isAsked, ...press };
    return { value, url: `${publicUrl}/watch/${tickets.issue(request, WATCH_TICKET_MS)}` };
  }

  return {
    tickets,
    unconfirmedPresses,
    /** Where a button leads that makes a link, for this reader. */
    pressTarget: async (press: LinkPress, reader: Reader) => {
      const [{ installId }, isAnswered] = await Promise.all([
        workspaceOf(reader.workspaceId),
        isLost(reader),
      ]);
      return targetOf(press, { ...reader, installId }, isAnswered);
    },
    /** What the reader may do with visitors, Watch targets sealed for them. */
    visitorTools: async (given: Reader): Promise<VisitorTools> => {
      const { workspaceId, channelId = '' } = given;
      // Whoever was asked reads it elsewhere.
      const isHere = isChannel(channelId) && given.isAsked === undefined;
      const [isAnswered, workspace, shared, appIn] = await Promise.all([
        isLost(given),
        workspaceOf(workspaceId),
        isHere ? isShared(workspaceId, channelId) : true,
        isHere ? isAppIn(workspaceId, channelId) : undefined,
      ]);
      const reader = { ...given, installId: workspace.installId };
      const settings = await workspace.settings();
      return {
        canStop: workspace.cobrowse.offers.stopSession,
        canAskChannel: shared !== true && appIn !== false,
        isAppMissing: appIn === false,
        at: new Date(now()),
        ticketUrl: given.ticketUrl,
        mayNotWatch: reader.mayNotWatch,
        targetsOf: (visitorId) => ({
          usual: targetOf(
            { visitorId, access: defaultAccessIn(settings, reader.channelId) },
            reader,
            isAnswered,
          ),
          choices: accessLevelsUpTo(settings.maxAccess).map((access) => ({
            access,
            target: targetOf({ visitorId, access }, reader, isAnswered, true),
          })),
        }),
      };
    },
  };
}
