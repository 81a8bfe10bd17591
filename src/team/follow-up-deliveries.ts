import type { NewEntry } from '../audit/audit.ts';
import type { CobrowseClient } from '../cobrowse/client.ts';
import { readPayload, unknownNow } from '../outbox/delivery.ts';
import type { Kind } from '../outbox/kind.ts';
import { canLook, type MayAct } from '../permissions/acts.ts';
import { followUpDue, followUpDueUnseen } from './follow-up-messages.ts';
import { FollowUpPayload, type FollowUps } from './follow-ups.ts';
import type { SessionEnds } from '../sessions/session-ends.ts';
import { visitorIfKnown } from '../messages/visitor-pieces.ts';
import type { SummaryAddress } from '../sessions/summary-address.ts';

const read = (payload: unknown) => readPayload(FollowUpPayload, payload);

/**
 * The direct message that a follow-up is due, or was handed on. All that it says is read when it's sent, from the
 * follow-up as it is then.
 */
export const createFollowUpKind = ({
  followUps,
  sessionEnds,
  summaryAddress,
  mayAct,
  cobrowseOf,
  record,
  now,
}: {
  readonly followUps: Pick<FollowUps, 'find'>;
  readonly sessionEnds: Pick<SessionEnds, 'byIds'>;
  readonly summaryAddress: SummaryAddress;
  readonly mayAct: MayAct;
  readonly cobrowseOf: (workspaceId: string) => Promise<Pick<CobrowseClient, 'visitor'>>;
  readonly record: (entry: NewEntry) => Promise<void>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}): Kind => ({
  name: 'follow-up',
  isNoLoss: true,
  async compose({ workspaceId, channelId: userId, payload }) {
    const { endId, version, isHanded } = read(payload);
    const followUp = await followUps.find(workspaceId, endId);
    if (followUp === undefined || followUp.version !== version) return { unwanted: 'superseded' };
    const verdict = await mayAct('watch', { workspaceId, userId }).catch(unknownNow);
    // Guests, too: it's theirs, and they hand it on.
    if (!verdict.allowed && !canLook(verdict) && verdict.why !== 'guest') return { unwanted: verdict.why };
    return {
      async message() {
        if (!verdict.allowed) return followUpDueUnseen(followUp, isHanded);
        const { visitorId } = followUp;
        const visitor =
          visitorId === '' ? undefined : await visitorIfKnown(cobrowseOf, workspaceId, visitorId);
        const [end] = await sessionEnds.byIds([endId]);
        const summaryUrl = end && (await summaryAddress(end));
        const isDue = followUp.dueAt.getTime() <= now();
        return followUpDue(followUp, visitor, { isHanded, isDue, summaryUrl });
      },
    };
  },
  async told({ workspaceId, channelId: userId, payload }, told) {
    if (told.outcome === 'later' || (told.outcome === 'skipped' && told.reason === 'superseded')) return;
    const { endId } = read(payload);
    const followUp = await followUps.find(workspaceId, endId);
    const outcome = told.outcome === 'posted' ? 'sent' : told.reason;
    await record({ workspaceId, userId, visitorId: followUp?.visitorId, action: 'follow-up', outcome });
  },
});
