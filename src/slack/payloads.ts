import { z } from 'zod';
import type { Caller } from '../commands/caller.ts';
import type { Filled } from '../commands/form.ts';

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

const Action = z
  .object({
    action_id: z.string(),
    value: z.string().optional(),
    selected_option: z.object({ value: z.string() }).nullish(),
  })
  .transform(({ action_id, value, selected_option }) => ({
    action_id,
    value: value ?? selected_option?.value ?? '',
  }));

export const PressPayload = z.object({
  team: Team,
  user: User,
  trigger_id: z.string(),
  channel: Channel.optional(),
  message: z.object({ ts: z.string(), thread_ts: z.string().optional() }).optional(),
  container: z.object({ thread_ts: z.string().optional(), is_ephemeral: z.boolean().optional() }).optional(),
  view: z
    .object({ id, type: z.string().default('modal'), private_metadata: z.string().default('') })
    .optional(),
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

const Option = z.object({ value: z.string() });

/** An input's state, whatever its kind, as the values it holds. */
const InputValues = z
  .looseObject({
    value: z.string().nullish(),
    selected_option: Option.nullish(),
    selected_options: z.array(Option).nullish(),
    selected_conversation: z.string().nullish(),
    selected_users: z.array(z.string()).nullish(),
  })
  .transform((input): readonly string[] => [
    ...[input.value, input.selected_option?.value, input.selected_conversation].filter(
      (value) => typeof value === 'string',
    ),
    ...(input.selected_options ?? []).map(({ value }) => value),
    ...(input.selected_users ?? []),
  ]);

export const SubmissionPayload = z.object({
  team: Team,
  user: User,
  view: z.object({
    id,
    callback_id: z.string(),
    private_metadata: z.string().default(''),
    state: z.object({ values: z.record(z.string(), z.record(z.string(), InputValues)) }),
  }),
});
export type SubmissionPayload = z.infer<typeof SubmissionPayload>;

/** What travels in a modal's `private_metadata`: where the answer belongs, and which shortcut opened it. */
export const ModalContext = z.object({
  channelId: z.string().optional(),
  threadTs: z.string().optional(),
  shortcut: z.string().optional(),
  /** The message itself that a shortcut was used on. */
  messageTs: z.string().optional(),
  /** Its address, where the session's notes are to begin with it. */
  notes: z.string().optional(),
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
    ...(context.notes === undefined ? {} : { notes: context.notes }),
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

/** What was filled in, by block: a block of ours holds one input. */
export function filledIn({ view }: SubmissionPayload): Filled {
  return Object.fromEntries(
    Object.entries(view.state.values).map(([block, inputs]) => [block, Object.values(inputs).flat()]),
  );
}

/** A global shortcut. Source: docs.slack.dev/reference/interaction-payloads/shortcuts-interaction-payload. */
export const GlobalShortcutPayload = z.object({
  type: z.literal('shortcut'),
  callback_id: z.string(),
  trigger_id: z.string(),
  team: Team,
  user: User,
});

/** A search field asks for options. Source: docs.slack.dev/reference/interaction-payloads/block_suggestion-payload. */
export const SuggestionPayload = z.object({
  action_id: z.string(),
  value: z.string().default(''),
  team: Team,
  user: User,
});

/** Who used a payload that has no channel. */
export function callerNowhere(payload: { team?: z.infer<typeof Team>; user: z.infer<typeof User> }): Caller {
  return { workspaceId: workspaceOf(payload), userId: payload.user.id };
}
