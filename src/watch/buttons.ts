import { recordLinks } from '../commands/record-links.ts';
import type { Viewer } from '../commands/rights.ts';
import { LinkRequest, valueOf, type LinkPress, type Place } from '../messages/link-request.ts';
import type { VisitorTools, WatchTarget } from '../messages/visitor-pieces.ts';
import type { App } from '../parts.ts';
import { accessLevelsUpTo, isChannel, type Refusal } from '../permissions/permissions.ts';
import { defaultAccessIn } from '../workspaces/settings.ts';
import type { Workspace } from '../workspaces/workspaces.ts';
import { createUnconfirmedPresses } from './unconfirmed-presses.ts';

const WATCH_TICKET_MS = 30 * 60 * 1_000;

export interface Reader extends Viewer, Place {
  readonly workspace: Workspace;
  readonly mayNotWatch?: Refusal;
}

export type Buttons = ReturnType<typeof createButtons>;

export function createButtons(app: App) {
  const { publicUrl } = app;
  const tickets = app.ticketKind('watch', LinkRequest);
  const unconfirmedPresses = createUnconfirmedPresses(app);

  /** Where it can't be read whether a reader's buttons are answered in Slack, the page helps. */
  async function targetsFor(reader: Reader) {
    const isAnswered =
      publicUrl !== undefined && (await unconfirmedPresses.isRemembered(reader).catch(() => false));

    return function targetOf(press: LinkPress, isOption = false): WatchTarget {
      const { workspace, workspaceId, userId, channelId, threadTs, askedIn, notes, ticketUrl, isAsked } =
        reader;
      const hasAddress = publicUrl !== undefined && !isAnswered;
      // Whoever was asked sees the button in their direct messages, and the session belongs elsewhere. A menu's option has no
      // room for a ticket, so its address holds that.
      const isSaid = isAsked !== undefined || (ticketUrl !== undefined && !(isOption && hasAddress));
      const place = isSaid ? { channelId, threadTs, askedIn, notes, ticketUrl, isAsked } : undefined;
      const value = valueOf({ press, for: userId, place });
      if (!hasAddress) return isAnswered ? { value, isAnswered } : { value };
      const { installId } = workspace;
      const about = { workspaceId, installId, userId, channelId, threadTs, askedIn, notes };
      const request: LinkRequest =
        'proxy' in press ? { ...about, ...press } : { ...about, ticketUrl, isAsked, ...press };
      return { value, url: `${publicUrl}/watch/${tickets.issue(request, WATCH_TICKET_MS)}` };
    };
  }

  return {
    tickets,
    unconfirmedPresses,
    pressTarget: async (press: LinkPress, reader: Reader) => (await targetsFor(reader))(press),
    /** Watch targets are sealed for the reader. */
    visitorTools: async (reader: Reader): Promise<VisitorTools> => {
      const { workspace, workspaceId, channelId = '', isAsked, ticketUrl, mayNotWatch } = reader;
      // Whoever was asked reads it elsewhere.
      const isHere = isChannel(channelId) && isAsked === undefined;
      const [settings, targetOf, shared, appIn] = await Promise.all([
        workspace.settings(),
        targetsFor(reader),
        isHere ? app.isShared(workspaceId, channelId) : true,
        isHere ? app.isAppIn(workspaceId, channelId) : undefined,
      ]);
      const usual = defaultAccessIn(settings, reader.channelId);
      const levels = accessLevelsUpTo(settings.maxAccess);
      return {
        canStop: workspace.cobrowse.offers.stopSession,
        canAskChannel: shared !== true && appIn !== false,
        isAppMissing: appIn === false,
        at: new Date(app.now()),
        ticketUrl,
        mayNotWatch,
        recordsOf: (visitor) => recordLinks(settings.recordLinks, visitor, workspace.linkHosts, 'one'),
        targetsOf: (visitorId) => ({
          usual: targetOf({ visitorId, access: usual }),
          choices: levels.map((access) => ({ access, target: targetOf({ visitorId, access }, true) })),
        }),
      };
    },
  };
}
