import { z } from 'zod';
import type { Caller, SharedMessage } from '../commands/command.ts';

/*
 * What we read of Slack's payloads. Source: docs.slack.dev/interactivity/implementing-slash-commands and
 * docs.slack.dev/reference/interaction-payloads. Everything else in them is left alone.
 */
const id = z.string().min(1);
const Team = z.object({ id }).nullish();
const User = z.object({ id, team_id: id.optional() });
const Channel = z.object({ id });

export const CommandPayload = z.object({
  command: z.string(),
  text: z.string().default(''),
  team_id: id,
  user_id: id,
  channel_id: id,
  response_url: z.url(),
});
export type CommandPayload = z.infer<typeof CommandPayload>;

const Action = z.object({ action_id: z.string(), value: z.string().default('') });

export const PressPayload = z.object({
  team: Team,
  user: User,
  trigger_id: z.string(),
  channel: Channel.optional(),
  message: z.object({ ts: z.string(), thread_ts: z.string().optional() }).optional(),
  container: z.object({ thread_ts: z.string().optional(), is_ephemeral: z.boolean().optional() }).optional(),
  view: z.object({ id, private_metadata: z.string().default('') }).optional(),
  response_url: z.url().optional(),
  actions: z.tuple([Action], z.unknown()),
});
export type PressPayload = z.infer<typeof PressPayload>;

export const MessageShortcutPayload = z.object({
  callback_id: z.string(),
  trigger_id: z.string(),
  team: Team,
  user: User,
  channel: Channel,
  response_url: z.url(),
  message: z.looseObject({
    ts: z.string(),
    thread_ts: z.string().optional(),
    user: z.string().optional(),
    bot_id: z.string().optional(),
  }),
});
export type MessageShortcutPayload = z.infer<typeof MessageShortcutPayload>;

const InputValue = z.looseObject({
  value: z.string().nullish(),
  selected_option: z.object({ value: z.string() }).nullish(),
});

export const SubmissionPayload = z.object({
  team: Team,
  user: User,
  view: z.object({
    id,
    callback_id: z.string(),
    private_metadata: z.string().default(''),
    state: z.object({ values: z.record(z.string(), z.record(z.string(), InputValue)) }),
  }),
});
export type SubmissionPayload = z.infer<typeof SubmissionPayload>;

/** What travels in a modal's `private_metadata`: where the answer belongs, and which shortcut opened it. */
export const ModalContext = z.object({
  channelId: z.string().optional(),
  threadTs: z.string().optional(),
  shortcut: z.string().optional(),
});
export type ModalContext = z.infer<typeof ModalContext>;

export function readModalContext(privateMetadata: string): ModalContext {
  // A press outside of a modal: an error thrown for each would cost more than all other reading.
  if (privateMetadata === '') return {};
  try {
    return ModalContext.parse(JSON.parse(privateMetadata));
  } catch {
    return {};
  }
}

/** The workspace: of the installation where it is named, else the user's own. */
function workspaceOf(payload: { team?: z.infer<typeof Team>; user: z.infer<typeof User> }): string {
  return payload.team?.id ?? payload.user.team_id ?? '';
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
  const { channelId, threadTs } = readModalContext(payload.view.private_metadata);
  return {
    workspaceId: workspaceOf(payload),
    userId: payload.user.id,
    ...(channelId === undefined ? {} : { channelId }),
    ...(threadTs === undefined ? {} : { threadTs }),
  };
}

/** The keys under which blocks and attachments carry text for people. */
const TEXT_KEYS = new Set(['text', 'fallback', 'title', 'pretext', 'value', 'url', 'title_link']);
const DEEPEST = 12;

function textsIn(value: unknown, depth = 0): string[] {
  if (depth > DEEPEST || typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((entry) => textsIn(entry, depth + 1));
  return Object.entries(value).flatMap(([key, inner]) =>
    typeof inner === 'string' ? (TEXT_KEYS.has(key) ? [inner] : []) : textsIn(inner, depth + 1),
  );
}

/** The shared message's text: helpdesk apps put theirs into blocks or attachments. */
export function sharedMessage({ message }: MessageShortcutPayload): SharedMessage {
  const { text, blocks, attachments, user, bot_id: botId } = message;
  const all = [text, ...textsIn(blocks), ...textsIn(attachments)].filter((part) => typeof part === 'string');
  return {
    text: all.join('\n'),
    ...(user === undefined || botId !== undefined ? {} : { authorId: user }),
  };
}
