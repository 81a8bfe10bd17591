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

/** Who used what, and where Slack says that it happened. */
interface Happening {
  readonly team?: { readonly id: string } | null | undefined;
  readonly user: { readonly id: string; readonly team_id?: string | undefined };
  readonly view?: { readonly app_installed_team_id?: string | null | undefined } | undefined;
}

/**
 * The workspace: of the installation where it is named, else the user's own. By the user's own alone, a person of
 * another organisation in a shared channel would be at home.
 */
function workspaceOf({ team, user, view }: Happening): string {
  return view?.app_installed_team_id ?? team?.id ?? user.team_id ?? '';
}

/** In a shared channel, what stands around an event may name the other organisation: the installation's own goes first. */
export function workspaceOfEvent({ team_id: around, authorizations = [] }: EventPayload): string {
  return authorizations[0]?.team_id ?? around;
}

export function callerOfCommand(payload: CommandPayload): Caller {
  return { workspaceId: payload.team_id, userId: payload.user_id, channelId: payload.channel_id };
}

export function callerOfPress(payload: PressPayload): Caller {
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

/** The presser, and the press itself: all that makes it this one and no other is in what Slack signed. */
export function presserOf(payload: PressPayload): Presser {
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

/** The message that the shortcut was used on is what the session threads under. */
export function callerOfShortcut(
  payload: MessageShortcutPayload,
): Caller & { channelId: string; threadTs: string } {
  return {
    workspaceId: workspaceOf(payload),
    userId: payload.user.id,
    channelId: payload.channel.id,
    threadTs: payload.message.thread_ts ?? payload.message.ts,
  };
}

export function callerOfSubmission(payload: SubmissionPayload): Caller {
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
export function callerNowhere(payload: Happening): Caller {
  return { workspaceId: workspaceOf(payload), userId: payload.user.id };
}
