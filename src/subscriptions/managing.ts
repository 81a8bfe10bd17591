import { randomUUID } from 'node:crypto';
import type { PreparedEntry } from '../audit/audit.ts';
import { Answered } from '../commands/rights.ts';
import type { Message } from '../messages/message.ts';
import type { PostOutcome } from '../outbox/transport.ts';
import type { App } from '../parts.ts';
import { rightUnknown, neverMay, type Actor } from '../permissions/permissions.ts';
import { mayNotManage, noSuchSubscription, type NotManaged, type Told } from './messages.ts';
import type { Subscription } from './subscription.ts';

export type Rights = Pick<App, 'profileOf' | 'isInChannel' | 'record'>;
export type Place = Pick<Subscription, 'workspaceId' | 'channelId'>;
export type NotPosted = Exclude<PostOutcome, { readonly outcome: 'posted' }>;

/** Undefined for admins, whoever set it up, and the channel's members who aren't guests. @throws RightUnknownError */
export async function whyNot(
  { profileOf, isInChannel }: Rights,
  { workspaceId, userId, channelId: at }: Actor,
  channelId: string,
  setUpBy?: string,
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

export async function refused(
  app: Rights,
  { workspaceId, userId }: Actor,
  why: NotManaged,
  channelId: string,
) {
  const detail = { act: 'subscribe' };
  await app.record({ workspaceId, userId, channelId, action: 'refusal', outcome: why, detail });
  return mayNotManage(why, channelId);
}

/** @throws Answered with the refusal */
export async function mustManage(app: Rights, actor: Actor, channelId: string): Promise<void> {
  const why = await whyNot(app, actor, channelId);
  if (why !== undefined) throw new Answered(await refused(app, actor, why, channelId));
}

/** For who can change it. A refusal is on record, and says nothing of its channel, which may be private. @throws Answered */
export async function managed(app: Rights, actor: Actor, found: Subscription | undefined) {
  if (found === undefined) throw new Answered(noSuchSubscription());
  const why = await whyNot(app, actor, found.channelId, found.setUpBy);
  if (why === undefined) return found;
  await refused(app, actor, why, found.channelId);
  throw new Answered(noSuchSubscription());
}

/** Whether somebody may know of its channel: a private one is its members' and that of whoever set it up. */
export const maySee = async (
  { isPublic, isInChannel }: Pick<App, 'isPublic' | 'isInChannel'>,
  { workspaceId, userId }: Actor,
  { channelId, setUpBy }: Subscription,
  isGuest = false,
): Promise<boolean> =>
  setUpBy === userId ||
  (!isGuest && (await isPublic(workspaceId, channelId))) ||
  (await isInChannel(workspaceId, userId, channelId).catch(rightUnknown)) === true;

/** Posts to a channel. Never rejects. */
export const announce = (
  { post }: Pick<App, 'post'>,
  { workspaceId, channelId }: Place,
  message: Message,
  replaces?: string,
) => post({ workspaceId, to: channelId, replaces }, message, `announcement:${randomUUID()}`);

/**
 * Posts who is doing what, writes, then changes the post to say that it's done. A channel that doesn't accept the first post
 * won't accept later ones, so nothing is written. If the process ends in between, the first words are still true.
 * @returns what was written, undefined where `write` writes nothing  @throws Answered with the refusal
 */
export async function tellAndWrite<Written>(
  app: Pick<App, 'post'>,
  place: Place,
  told: Told,
  write: () => Promise<Written | undefined>,
  refusal: (by: NotPosted) => Message | Promise<Message>,
): Promise<Written | undefined> {
  const posted = await announce(app, place, told.begun);
  if (posted.outcome !== 'posted') throw new Answered(await refusal(posted));
  let written: Written | undefined;
  try {
    written = await write();
  } finally {
    const { channelId = place.channelId, ts } = posted;
    const words = written === undefined ? told.unsure : told.done;
    // A lost change of the words is no harm: those that stand are true.
    if (ts !== undefined) await announce(app, { ...place, channelId }, words, ts);
  }
  return written;
}

export const entryBy =
  (
    { prepare }: Pick<App, 'prepare'>,
    { workspaceId, userId }: Actor,
    outcome: 'set-up' | 'edited' | 'removed' | 'paused' | 'resumed',
    more: Readonly<Record<string, string | undefined>> = {},
  ) =>
  ({ channelId, id }: Subscription): PreparedEntry => {
    const detail = { subscription: id, ...more };
    return prepare({ workspaceId, userId, channelId, action: 'subscription', outcome, detail });
  };
