import { randomUUID } from 'node:crypto';
import type { PreparedEntry } from '../audit/audit.ts';
import { Answered } from '../commands/rights.ts';
import type { Message } from '../messages/message.ts';
import type { PostOutcome } from '../outbox/transport.ts';
import type { App } from '../parts.ts';
import { rightUnknown, neverMay, type Actor } from '../permissions/permissions.ts';
import { mayNotManage, type NotManaged, type Told } from './messages.ts';
import type { Subscription } from './subscription.ts';

type Posted = Extract<PostOutcome, { readonly outcome: 'posted' }>;
type Place = Pick<Subscription, 'workspaceId' | 'channelId'>;

export type Managing = ReturnType<typeof createManaging>;

/** Who can change a channel's subscriptions, what is on record of it, and what the channel is told. */
export function createManaging({
  profileOf,
  isInChannel,
  record,
  prepare,
  post,
}: Pick<App, 'profileOf' | 'isInChannel' | 'record' | 'prepare' | 'post'>) {
  /**
   * Why somebody can't, now; undefined for admins, for the channel's members who aren't guests, and for whoever set it up.
   *
   * @throws RightUnknownError
   */
  async function whyNot(
    { workspaceId, userId, channelId: at }: Actor,
    { channelId, setUpBy }: { readonly channelId: string; readonly setUpBy?: string },
  ): Promise<NotManaged | undefined> {
    const [membership, isMember] = await Promise.all([
      profileOf(workspaceId, userId),
      isInChannel(workspaceId, userId, channelId),
    ]).catch(rightUnknown);
    const never = neverMay(membership);
    if (never !== undefined) return never;
    if (membership.isAdmin || setUpBy === userId) return undefined;
    if (membership.isGuest) return 'guest';
    // If Slack doesn't say: it let them type the command there, so they're in it.
    if (isMember === undefined) return at === channelId ? undefined : 'unknown';
    return isMember ? undefined : 'not-member';
  }

  /** The refusal, on record. */
  async function refused({ workspaceId, userId }: Actor, why: NotManaged, channelId: string) {
    const detail = { act: 'subscribe' };
    await record({ workspaceId, userId, channelId, action: 'refusal', outcome: why, detail });
    return mayNotManage(why, channelId);
  }

  /** Posts to a channel. Never rejects. */
  const announce = ({ workspaceId, channelId }: Place, message: Message, replaces?: string) =>
    post({ workspaceId, to: channelId, replaces }, message, `announcement:${randomUUID()}`);

  /** @throws Answered with the refusal */
  async function mustManage(actor: Actor, channelId: string): Promise<void> {
    const why = await whyNot(actor, { channelId });
    if (why !== undefined) throw new Answered(await refused(actor, why, channelId));
  }

  /** Whether somebody can change it. A refusal is on record, and says nothing of its channel, which may be private. */
  async function mayManage(actor: Actor, one: Pick<Subscription, 'channelId' | 'setUpBy'>): Promise<boolean> {
    const why = await whyNot(actor, one);
    if (why !== undefined) await refused(actor, why, one.channelId);
    return why === undefined;
  }

  /**
   * Writes what a channel's posts depend on, in an order in which nothing is said to be done before it is, and nothing is
   * written that the channel wasn't told of. A post comes first: if the channel doesn't accept it, it won't accept later
   * ones, and nothing is written. It says who is doing what, which is true whatever follows. Then comes the write, and then
   * the same post says that it's done. A process that ends in between leaves the first words standing, which name it, too.
   *
   * @param refusal the answer where the channel doesn't accept the post
   * @returns what was written, undefined where `write` writes nothing
   * @throws Answered
   */
  async function tellAndWrite<Written>(
    place: Place,
    told: Told,
    write: () => Promise<Written | undefined>,
    refusal: (by: Exclude<PostOutcome, Posted>) => Message | Promise<Message>,
  ): Promise<Written | undefined> {
    const posted = await announce(place, told.begun);
    if (posted.outcome !== 'posted') throw new Answered(await refusal(posted));
    let written: Written | undefined;
    try {
      written = await write();
    } finally {
      // A lost change of the words is no harm: those that stand are true.
      if (posted.ts !== undefined)
        await announce(
          { ...place, channelId: posted.channelId ?? place.channelId },
          written === undefined ? told.unsure : told.done,
          posted.ts,
        );
    }
    return written;
  }

  /** The entry of a change, for the same write. */
  const entryOf = (
    { workspaceId, userId }: Actor,
    outcome: 'set-up' | 'edited' | 'removed' | 'resumed',
    { channelId, id }: Pick<Subscription, 'channelId' | 'id'>,
  ): PreparedEntry =>
    prepare({
      workspaceId,
      userId,
      channelId,
      action: 'subscription',
      outcome,
      detail: { subscription: id },
    });

  return { whyNot, refused, mustManage, mayManage, announce, tellAndWrite, entryOf };
}
