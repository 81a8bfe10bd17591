import type { Sql } from '../database/sql.ts';
import type { Digest } from '../model/digest.ts';
import { wakeChannelOf } from './channels.ts';
import { insertDelivery } from './delivery.ts';

/** An older digest is no longer news. */
const LATEST_DIGEST_MS = 24 * 60 * 60_000;

/** A subscription whose digest is due. */
export interface DigestPlace {
  readonly workspaceId: string;
  /** The subscription's number. */
  readonly subscription: string;
  readonly channelId: string;
  /** Which digest of the subscription this is, starting at 1. */
  readonly number: number;
}

/** Statements that queue a digest: one for each number, however often they are run. */
export function digestStatements(
  { workspaceId, subscription, channelId, number }: DigestPlace,
  digest: Digest,
  { id, time }: { readonly id: string; readonly time: number },
): readonly Sql[] {
  return [
    insertDelivery({
      id,
      workspaceId,
      key: `digest ${number} of ${subscription}`,
      kind: 'digest',
      messageId: `digest_${subscription}_${digest.to}`,
      since: digest.to,
      channelId,
      subscriptions: [subscription],
      acceptedAt: time,
      notAfter: digest.to + LATEST_DIGEST_MS,
      payload: { digest },
    }),
    wakeChannelOf(id),
  ];
}
