import type { Audit, PreparedEntry } from '../audit/audit.ts';
import type { Message } from '../messages/message.ts';
import type { Actor, Never } from '../permissions/acts.ts';
import { subscriptionsNotShown } from './list-message.ts';
import { mayNotManage } from './messages.ts';
import type { NotManaged } from './messages.ts';
import type { Subscription } from './subscription.ts';

/** Audit entries about subscriptions. */
export interface AuditEntries {
  /** A change, for the same write as the change itself. */
  prepare(
    caller: Actor,
    outcome: 'set-up' | 'edited' | 'removed' | 'resumed',
    changed: Pick<Subscription, 'channelId' | 'id'>,
  ): PreparedEntry;
  /** A channel that didn't accept the app's post, so that nothing was set up. @param reason Slack's code */
  notSetUp(caller: Actor, reason: string, channelId: string): Promise<void>;
  /** The refusal, on record. */
  refused(caller: Actor, why: NotManaged, channelId: string): Promise<Message>;
  /** The refusal for people who can't even see them, on record. */
  notShown(caller: Actor, why: Never): Promise<Message>;
}

export function createAuditEntries({ record, prepare }: Pick<Audit, 'record' | 'prepare'>): AuditEntries {
  return {
    prepare({ workspaceId, userId }, outcome, { channelId, id }) {
      const detail = { subscription: id };
      return prepare({ workspaceId, userId, channelId, action: 'subscription', outcome, detail });
    },
    notSetUp: ({ workspaceId, userId }, reason, channelId) =>
      record({ workspaceId, userId, channelId, action: 'subscription', outcome: reason }),
    async refused({ workspaceId, userId }, why, channelId) {
      const detail = { act: 'subscribe' };
      await record({ workspaceId, userId, channelId, action: 'refusal', outcome: why, detail });
      return mayNotManage(why, channelId);
    },
    async notShown({ workspaceId, userId, channelId }, why) {
      const place = channelId === undefined ? {} : { channelId };
      const detail = { act: 'subscriptions' };
      await record({ workspaceId, userId, ...place, action: 'refusal', outcome: why, detail });
      return subscriptionsNotShown();
    },
  };
}
