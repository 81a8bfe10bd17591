import { z } from 'zod';
import type { Audit } from '../audit/audit.ts';
import type { CobrowseClient } from '../cobrowse/client.ts';
import type { Visitor } from '../cobrowse/schemas.ts';
import type { Kind } from '../outbox/kind.ts';
import { readPayload } from '../outbox/kind.ts';
import { canLook } from '../permissions/acts.ts';
import type { MayAct } from '../permissions/acts.ts';
import { visitorName } from '../messages/visitor-pieces.ts';
import { unknownNow } from '../visitors/online-watch.ts';
import { colleagueAsked } from './ask-messages.ts';
import type { Asks } from './asks.ts';

/** Ids only: why they're asked is in the row that says who was. */
const Payload = z.object({ visitorId: z.string(), askedBy: z.string() });

/** The session that runs with a visitor, as far as the service says. */
function running(visitor: Visitor | undefined): { readonly since: Date | undefined } | undefined {
  if (visitor?.is_in_session !== true) return undefined;
  const started = visitor.sessions
    .filter(({ ended_at: endedAt }) => endedAt === undefined)
    .map(({ started_at: startedAt }) => Date.parse(startedAt ?? ''))
    .filter((at) => !Number.isNaN(at));
  return { since: started.length === 0 ? undefined : new Date(Math.min(...started)) };
}

/** The direct message that asks somebody to look at a visitor's screen. */
export const createAskKind = ({
  asks,
  mayAct,
  cobrowseOf,
  record,
}: {
  readonly asks: Pick<Asks, 'latest'>;
  readonly mayAct: MayAct;
  readonly cobrowseOf: (workspaceId: string) => Promise<Pick<CobrowseClient, 'visitor'>>;
  readonly record: Audit['record'];
}): Kind => ({
  name: 'ask',
  isNoLoss: true,
  async compose({ id, workspaceId, channelId: userId, payload }) {
    const { visitorId } = readPayload(Payload, payload);
    const ask = await asks.latest(workspaceId, visitorId, userId);
    if (ask?.id !== id) return { unwanted: 'superseded' };
    const verdict = await mayAct('watch', { workspaceId, userId }).catch(unknownNow);
    // Their profile may say something else by now than when they were asked.
    if (!verdict.allowed && !canLook(verdict)) return { unwanted: verdict.why };
    return {
      async message() {
        const visitor = await cobrowseOf(workspaceId)
          .then((cobrowse) => cobrowse.visitor(visitorId))
          .catch(() => undefined);
        const name = visitor === undefined ? visitorId : visitorName(visitor);
        const session = running(visitor);
        return colleagueAsked({ ask, visitor: name, visitorId, session, canWatch: verdict.allowed });
      },
    };
  },
  async told({ workspaceId, channelId: to, payload }, told) {
    if (told.outcome === 'posted' || told.outcome === 'later') return;
    const { visitorId, askedBy: userId } = readPayload(Payload, payload);
    await record({ workspaceId, userId, visitorId, action: 'ask', outcome: told.reason, detail: { to } });
  },
});
