import { z } from 'zod';
import { needAccount, type Limits } from '../cobrowse/client.ts';
import type { Visitor } from '../cobrowse/schemas.ts';
import type { Caller } from '../commands/rights.ts';
import { visitorClues } from '../commands/clues.ts';
import { defineCommand, defineForm, definePress, offeringRetry } from '../commands/command.ts';
import { filledValues } from '../commands/inputs.ts';
import { isForbidden, requiredSearch } from '../commands/typed.ts';
import { ACTION, STOP_FORM } from '../messages/action-ids.ts';
import type { Message } from '../messages/message.ts';
import { watchLinkNotSearched } from '../messages/failure-words.ts';
import type { App } from '../parts.ts';
import { canLook } from '../permissions/permissions.ts';
import { noVisitors } from '../visitors/visitor-list.ts';
import type { Showing } from '../visitors/visitor.ts';
import { byIdAlone, visitorsMeant } from '../visitors/visitor-search.ts';
import type { createRunningSessions } from './running-sessions.ts';
import {
  LONGEST_REASON,
  nobodyInSession,
  noVisitorWithId,
  stopChoice,
  stopForm,
  stopNotOffered,
  stopped,
} from './stop-messages.ts';
import type { StopRecords } from '../sessions/stops.ts';
import { IN_USE_MS, type WatchLinks } from '../sessions/watch-links.ts';

const MOST_CHOICES = 5;
/** A stop that was confirmed waits no longer to learn what it stops. */
const LOOK_MS = 1_500;

/** Those in a session; where the service doesn't say who is, those who may be. */
function stoppable(found: readonly Visitor[]): readonly Visitor[] {
  const inSession = found.filter((visitor) => visitor.is_in_session === true);
  const maybe = found.filter((visitor) => visitor.is_in_session === undefined);
  return (inSession.length === 0 ? maybe : inSession).slice(0, MOST_CHOICES);
}

export function createStopCommand(
  { mayAct, recording, now }: App,
  links: WatchLinks,
  stops: StopRecords,
  runningSessions: ReturnType<typeof createRunningSessions>,
  partnersOf: Showing['partnersOf'],
) {
  /** A pasted email alone never stops anyone. */
  async function choice(text: string, caller: Caller): Promise<Message> {
    const { found, isByIdAlone } = await visitorsMeant(text, caller, { mayAct, recording });
    if (found.length === 0)
      return isByIdAlone
        ? noVisitorWithId(text)
        : noVisitors(text, { canShowUp: false, cutAtMiB: found.cutAtMiB });
    const offered = stoppable(found);
    if (offered.length === 0) return nobodyInSession(found.slice(0, MOST_CHOICES), text);
    return stopChoice(offered, isByIdAlone ? new Map() : await partnersOf(caller, offered));
  }

  /**
   * The visitor, for its name and whether a session runs; its id if it can't be looked up, and no name for people who can't
   * see customers. Never rejects: a session can be stopped without either.
   */
  async function looked(visitorId: string, caller: Caller, limits: Limits = {}) {
    const [visitor, isShown] = await Promise.all([
      caller.workspace.cobrowse.visitor(visitorId, limits).catch(() => undefined),
      mayAct('watch', caller).then(canLook, () => false),
    ]);
    const shown: Visitor | string =
      visitor === undefined ? visitorId : isShown ? visitor : byIdAlone(visitor);
    return { shown, sessions: visitor?.sessions ?? [] };
  }

  const form = defineForm({
    callbackId: STOP_FORM.callbackId,
    title: 'Stop session',
    right: 'stop',
    complaints: ({ [STOP_FORM.reasonBlock]: [reason = ''] = [] }) => ({
      [STOP_FORM.reasonBlock]:
        reason.length > LONGEST_REASON && `At most ${LONGEST_REASON} characters, please.`,
    }),
    async run({ filled, about: visitorId }, caller) {
      const { workspaceId, userId } = caller;
      const reason = filledValues(filled)[STOP_FORM.reasonBlock] || undefined;
      // Read before the stop: the service confirms it whether or not a session ran, and doesn't say which.
      const visitor = await looked(visitorId, caller, { once: true, timeoutMs: LOOK_MS });
      const sessionIds = await runningSessions(workspaceId, visitorId, visitor.sessions);
      const by = { workspaceId, userId, sessionIds, reason };
      const isNamed = await recording.around(caller, { action: 'stop', visitorId }, () =>
        stops.around(visitorId, by, () => caller.workspace.cobrowse.stopSession(visitorId)),
      );
      const notPosted = sessionIds.length === 0 ? 'unseen' : 'unsaved';
      return stopped(visitor.shown, userId, reason === undefined || isNamed ? undefined : notPosted);
    },
  });

  /** Asks which session is meant. @param text an id, or what finds the visitor */
  async function ask(text: string, caller: Caller): Promise<Message> {
    needAccount(caller.workspace.cobrowse);
    if (!caller.workspace.cobrowse.offers.stopSession) return stopNotOffered;
    if (isForbidden(text, caller)) return watchLinkNotSearched;
    return offeringRetry({ actionId: ACTION.stopRetry, value: text }, () => choice(text, caller));
  }

  const stopPress = definePress({
    actionId: ACTION.stop,
    answer: 'add',
    right: 'stop',
    value: z.string().min(1),
    opens: {
      form,
      async content(visitorId, caller) {
        const { workspaceId, userId, workspace } = caller;
        needAccount(workspace.cobrowse);
        if (!workspace.cobrowse.offers.stopSession) return stopNotOffered;
        const [visitor, inUse] = await Promise.all([
          looked(visitorId, caller),
          // Whose session it is isn't needed to end it.
          links.inUse(workspaceId, [visitorId], now() - IN_USE_MS).catch(() => []),
        ]);
        const asked = inUse.map((link) => ({ userId: link.userId, at: new Date(link.at) }));
        return stopForm({ visitor: visitor.shown, askedBy: userId, links: asked });
      },
    },
  });

  return defineCommand({
    name: 'stop',
    usage: 'stop <name, email or id>',
    summary: 'End a session (asks first)',
    right: 'stop',
    examples: ['stop jane'],
    level: 'everyday',
    needs: 'stopSession',
    searches: true,
    argument: requiredSearch('Whose session?'),
    run: ask,
    forms: [form],
    presses: [
      definePress({
        actionId: ACTION.stopRetry,
        answer: 'replace',
        right: 'stop',
        value: z.string().min(1),
        run: ask,
      }),
      stopPress,
    ],
    shortcut: {
      callbackId: 'stop_session',
      title: 'Stop session',
      label: 'Visitor',
      asksFor: 'a name, an email or a visitor ID',
      offersNotes: false,
      clues: visitorClues,
      ofVisitor: { right: 'stop', run: ask },
    },
  });
}
