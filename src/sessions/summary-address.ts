import type { Database } from '../database/database.ts';
import { messageAddress } from '../messages/message.ts';
import { channelNow } from '../outbox/channels.ts';
import { isChannel } from '../permissions/permissions.ts';
import type { Installation } from '../workspaces/workspaces.ts';
import type { SessionEnd } from './session-ends.ts';

/**
 * The address of a session's own summary; undefined where it isn't posted, isn't known, or is in direct messages, which
 * nobody else can open. Rejects with a DatabaseError.
 */
export type SummaryAddress = (end: SessionEnd) => Promise<string | undefined>;

export function createSummaryAddress(
  database: Pick<Database, 'read'>,
  workspaceOf: (workspaceId: string) => Promise<{ installedAs(): Promise<Pick<Installation, 'url'>> }>,
): SummaryAddress {
  return async function summaryAddress({ summary, link: { workspaceId } }) {
    if (summary === undefined || !isChannel(summary.channelId)) return undefined;
    const [{ url }, channelId] = await Promise.all([
      workspaceOf(workspaceId)
        .then((workspace) => workspace.installedAs())
        .catch(() => ({ url: undefined })),
      channelNow(database, { workspaceId, channelId: summary.channelId }),
    ]);
    return messageAddress(url, channelId, summary.ts);
  };
}
