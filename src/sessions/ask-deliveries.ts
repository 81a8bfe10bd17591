import { z } from 'zod';
import type { Audit } from '../audit/audit.ts';
import type { CobrowseClient } from '../cobrowse/client.ts';
import type { Visitor } from '../cobrowse/schemas.ts';
import { wakeChannelOf } from '../outbox/channels.ts';
import { insertDelivery } from '../outbox/delivery.ts';
import type { NewId } from '../outbox/delivery.ts';
import type { Kind } from '../outbox/kind.ts';
import { readPayload, unknownNow } from '../outbox/kind.ts';
import { canLook } from '../permissions/acts.ts';
import type { MayAct } from '../permissions/acts.ts';
import { visitorName } from '../messages/visitor-pieces.ts';
import { colleagueAsked, colleagueNotAsked } from './ask-messages.ts';
import type { Asks } from './asks.ts';
import { visitorIfKnown } from './shown-visitor.ts';

/** Ids only: why they're asked is in the row that says who was. */
const Payload = z.object({ visitorId: z.string(), askedBy: z.string() });

const UnaskedPayload = z.object({ visitorId: z.string(), askedId: z.string() });

/** The session that runs with a visitor, as far as the service says. */
function running(visitor: Visitor | undefined): { readonly since: Date | undefined } | undefined {
  if (visitor?.is_in_session !== true) return undefined;
  const started = visitor.sessions
    .filter(({ ended_at: endedAt }) => endedAt === undefined)
    .map(({ started_at: startedAt }) => Date.parse(startedAt ?? ''))
    .filter((at) => !Number.isNaN(at));
  return { since: started.length === 0 ? undefined : new Date(Math.min(...started)) };
}

/** The direct message that asks somebody to look at a visitor's screen, and what the asker hears if Slack refuses it. */
export function createAskKinds({
  asks,
  mayAct,
  cobrowseOf,
  record,
  newId,
  now,
}: {
  readonly asks: Pick<Asks, 'latest'>;
  readonly mayAct: MayAct;
  readonly cobrowseOf: (workspaceId: string) => Promise<Pick<CobrowseClient, 'visitor'>>;
  readonly record: Audit['record'];
  readonly newId: NewId;
  readonly now: () => number;
}): readonly Kind[] {
  const ask: Kind = {
    name: 'ask',
    isNoLoss: true,
    async compose({ id, workspaceId, channelId: userId, payload }) {
      const { visitorId } = readPayload(Payload, payload);
      const asked = await asks.latest(workspaceId, visitorId, userId);
      if (asked?.id !== id) return { unwanted: 'superseded' };
      const verdict = await mayAct('watch', { workspaceId, userId }).catch(unknownNow);
      // Their profile may say something else by now than when they were asked.
      if (!verdict.allowed && !canLook(verdict)) return { unwanted: verdict.why };
      return {
        async message() {
          const visitor = await visitorIfKnown(cobrowseOf, workspaceId, visitorId);
          const name = visitor === undefined ? visitorId : visitorName(visitor);
          const session = running(visitor);
          return colleagueAsked({ ask: asked, visitor: name, visitorId, session, canWatch: verdict.allowed });
        },
      };
    },
    async follows({ id: askId, workspaceId, channelId: askedId, payload }, settled) {
      if (settled.is !== 'failed') return [];
      const { visitorId, askedBy } = readPayload(Payload, payload);
      const id = newId();
      const toAsker = {
        id,
        workspaceId,
        key: `unasked ${askId}`,
        kind: 'unasked',
        channelId: askedBy,
        acceptedAt: now(),
        payload: { visitorId, askedId },
      };
      return [insertDelivery(toAsker), wakeChannelOf(id)];
    },
    async told({ workspaceId, channelId: to, payload }, told) {
      if (told.outcome === 'posted' || told.outcome === 'later') return;
      const { visitorId, askedBy: userId } = readPayload(Payload, payload);
      await record({ workspaceId, userId, visitorId, action: 'ask', outcome: told.reason, detail: { to } });
    },
  };
  const unasked: Kind = {
    name: 'unasked',
    isNoLoss: true,
    compose: async ({ workspaceId, payload }) => ({
      async message() {
        const { visitorId, askedId } = readPayload(UnaskedPayload, payload);
        const visitor = await visitorIfKnown(cobrowseOf, workspaceId, visitorId);
        return colleagueNotAsked(askedId, visitor === undefined ? visitorId : visitorName(visitor));
      },
    }),
  };
  return [ask, unasked];
}
