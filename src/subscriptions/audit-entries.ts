import type { Actor, Never } from '../permissions/acts.ts';
import type { NewEntry } from '../audit/audit.ts';
import type { Message } from '../views/message.ts';
import { subscriptionsNotShown } from '../views/subscription-list.ts';
import { mayNotManage } from '../views/subscriptions.ts';
import type { NotManaged } from '../views/subscriptions.ts';

/** Audit entries about subscriptions. */
export interface AuditEntries {
  /** @param outcome a word of ours, or Slack's code for why it failed */
  done(
    caller: Actor,
    outcome: string,
    about: { readonly channelId: string; readonly id?: string },
  ): Promise<void>;
  /** The refusal, on record. */
  refused(caller: Actor, why: NotManaged, channelId: string): Promise<Message>;
  /** The refusal for people who can't even see them, on record. */
  notShown(caller: Actor, why: Never): Promise<Message>;
}

/** @param record into the audit */
export function createAuditEntries(record: (entry: NewEntry) => Promise<void>): AuditEntries {
  return {
    done({ workspaceId, userId }, outcome, { channelId, id }) {
      const detail = id === undefined ? {} : { detail: { subscription: id } };
      return record({ workspaceId, userId, channelId, action: 'subscription', outcome, ...detail });
    },
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
