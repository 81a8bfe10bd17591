import { createHash } from 'node:crypto';
import type { Caller, Presser } from '../commands/caller.ts';
import { readModalContext } from './payloads.ts';
import type {
  CommandPayload,
  EventPayload,
  MessageShortcutPayload,
  PressPayload,
  SubmissionPayload,
} from './payloads.ts';

/** Before the workspace itself is found. */
type Unplaced<Who extends Caller> = Omit<Who, 'workspace'>;

/** Who used something, and where Slack says it happened. */
interface Happening {
  readonly team?: { readonly id: string } | null | undefined;
  readonly user: { readonly id: string; readonly team_id?: string | undefined };
  readonly view?: { readonly app_installed_team_id?: string | null | undefined } | undefined;
}

/**
 * The workspace: the installation's if it's named, otherwise the user's. With the user's alone, a person from another
 * organisation in a shared channel would pass as a member.
 */
function workspaceOf({ team, user, view }: Happening): string {
  return view?.app_installed_team_id ?? team?.id ?? user.team_id ?? '';
}

/** In a shared channel, the envelope of an event may name the other organisation, so the installation's goes first. */
export function workspaceOfEvent({ team_id: around, authorizations = [] }: EventPayload): string {
  return authorizations[0]?.team_id ?? around;
}

export function callerOfCommand(payload: CommandPayload): Unplaced<Caller> {
  return { workspaceId: payload.team_id, userId: payload.user_id, channelId: payload.channel_id };
}

export function callerOfPress(payload: PressPayload): Unplaced<Caller> {
  const context = readModalContext(payload.view?.private_metadata ?? '');
  const channelId = payload.channel?.id ?? context.channelId;
  const threadTs = payload.message?.thread_ts ?? payload.container?.thread_ts ?? context.threadTs;
  return {
    workspaceId: workspaceOf(payload),
    userId: payload.user.id,
    ...(channelId === undefined ? {} : { channelId }),
    ...(threadTs === undefined ? {} : { threadTs }),
    ...(context.notes === undefined ? {} : { notes: context.notes }),
  };
}

/** Who pressed, and the press itself: everything that makes it unique is in what Slack signed. */
export function presserOf(payload: PressPayload): Unplaced<Presser> {
  const caller = callerOfPress(payload);
  const [{ action_id, action_ts, value }] = payload.actions;
  const whole = [caller.workspaceId, caller.userId, payload.trigger_id, action_ts, action_id, value];
  const hash = createHash('sha256').update(JSON.stringify(whole)).digest('base64url').slice(0, 32);
  const seconds = Number(action_ts);
  return {
    ...caller,
    press: { id: hash, pressedAt: Number.isFinite(seconds) ? Math.floor(seconds * 1_000) : 0 },
  };
}

/** The session's messages go into the thread of the message that the shortcut was used on. */
export function callerOfShortcut(
  payload: MessageShortcutPayload,
): Unplaced<Caller> & { channelId: string; threadTs: string } {
  return {
    workspaceId: workspaceOf(payload),
    userId: payload.user.id,
    channelId: payload.channel.id,
    threadTs: payload.message.thread_ts ?? payload.message.ts,
  };
}

export function callerOfSubmission(payload: SubmissionPayload): Unplaced<Caller> {
  const { channelId, threadTs, notes } = readModalContext(payload.view.private_metadata);
  return {
    workspaceId: workspaceOf(payload),
    userId: payload.user.id,
    ...(channelId === undefined ? {} : { channelId }),
    ...(threadTs === undefined ? {} : { threadTs }),
    ...(notes === undefined ? {} : { notes }),
  };
}

/** Who used a payload that has no channel. */
export function callerNowhere(payload: Happening): Unplaced<Caller> {
  return { workspaceId: workspaceOf(payload), userId: payload.user.id };
}
