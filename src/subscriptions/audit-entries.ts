import type { Audit, PreparedEntry } from '../audit/audit.ts';
import type { Message } from '../messages/message.ts';
import type { Actor, Never } from '../permissions/acts.ts';
import { mayNotManage, subscriptionsNotShown, type NotManaged } from './messages.ts';
import type { Subscription } from './subscription.ts';

/** Audit entries about subscriptions. */
export type AuditEntries = ReturnType<typeof createAuditEntries>;

export function createAuditEntries({ record, prepare }: Pick<Audit, 'record' | 'prepare'>) {
  return {
    /** A change, for the same write as the change itself. */
    prepare(
      { workspaceId, userId }: Actor,
      outcome: 'set-up' | 'edited' | 'removed' | 'resumed',
      { channelId, id }: Pick<Subscription, 'channelId' | 'id'>,
    ): PreparedEntry {
      const detail = { subscription: id };
      return prepare({ workspaceId, userId, channelId, action: 'subscription', outcome, detail });
    },
    /** A channel that didn't accept the app's post, so that nothing was set up. @param reason Slack's code */
    notSetUp: ({ workspaceId, userId }: Actor, reason: string, channelId: string): Promise<void> =>
      record({ workspaceId, userId, channelId, action: 'subscription', outcome: reason }),
    /** The refusal, on record. */
    async refused({ workspaceId, userId }: Actor, why: NotManaged, channelId: string): Promise<Message> {
      const detail = { act: 'subscribe' };
      await record({ workspaceId, userId, channelId, action: 'refusal', outcome: why, detail });
      return mayNotManage(why, channelId);
    },
    /** The refusal for people who can't even see them, on record. */
    async notShown({ workspaceId, userId, channelId }: Actor, why: Never): Promise<Message> {
      const detail = { act: 'subscriptions' };
      await record({ workspaceId, userId, channelId, action: 'refusal', outcome: why, detail });
      return subscriptionsNotShown();
    },
  };
}
