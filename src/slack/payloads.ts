import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Caller, Presser } from '../commands/rights.ts';
import type { Filled } from '../commands/command.ts';
import type { Log } from '../logging/log.ts';

/*
 * The parts of Slack's payloads that we read. Source: docs.slack.dev/interactivity/implementing-slash-commands and
 * docs.slack.dev/reference/interaction-payloads. The rest is ignored.
 */
const id = z.string().min(1);
const Team = z.object({ id }).optional();
const User = z.object({ id, team_id: id.optional() });
const Channel = z.object({ id });
/**
 * In a modal, `team` is the person's organization, and this is the app's workspace. Source: view submissions, Slack
 * Connect.
 */
const installedIn = id.optional();

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
    block_id: z.string().default(''),
    action_ts: z.string().default(''),
    value: z.string().optional(),
    selected_option: z.object({ value: z.string() }).optional(),
  })
  .transform(({ value, selected_option, ...action }) => ({
    ...action,
    value: value ?? selected_option?.value ?? '',
  }));

export const PressPayload = z.object({
  team: Team,
  user: User,
  trigger_id: z.string(),
  channel: Channel.optional(),
  message: z
    .object({ ts: z.string(), thread_ts: z.string().optional(), bot_id: z.string().optional() })
    .optional(),
  container: z.object({ thread_ts: z.string().optional(), is_ephemeral: z.boolean().optional() }).optional(),
  view: z
    .object({
      id,
      type: z.string().default('modal'),
      callback_id: z.string().default(''),
      private_metadata: z.string().default(''),
      app_installed_team_id: installedIn,
    })
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
    /** Of any shape, since other apps have theirs. */
    blocks: z
      .array(z.looseObject({ block_id: z.string().optional() }).catch({}))
      .catch([])
      .default([]),
  }),
});
export type MessageShortcutPayload = z.infer<typeof MessageShortcutPayload>;

const Option = z.object({ value: z.string() });

/** The state of an input of any kind, as the values it holds. */
const InputValues = z
  .looseObject({
    value: z.string().optional(),
    selected_option: Option.optional(),
    selected_options: z.array(Option).optional(),
    selected_conversation: z.string().optional(),
    selected_time: z.string().optional(),
    selected_date: z.string().optional(),
    selected_user: z.string().optional(),
    selected_users: z.array(z.string()).optional(),
    selected_conversations: z.array(z.string()).optional(),
  })
  .transform((input): readonly string[] => [
    ...[
      input.value,
      input.selected_option?.value,
      input.selected_conversation,
      input.selected_time,
      input.selected_date,
      input.selected_user,
    ].filter((value) => typeof value === 'string'),
    ...(input.selected_options ?? []).map(({ value }) => value),
    ...(input.selected_users ?? []),
    ...(input.selected_conversations ?? []),
  ]);

export const SubmissionPayload = z.object({
  team: Team,
  user: User,
  view: z.object({
    id,
    callback_id: z.string(),
    title: z.object({ text: z.string() }).optional(),
    private_metadata: z.string().default(''),
    app_installed_team_id: installedIn,
    state: z.object({ values: z.record(z.string(), z.record(z.string(), InputValues)) }),
  }),
});
export type SubmissionPayload = z.infer<typeof SubmissionPayload>;

/** Kept in a modal's `private_metadata`: where the answer belongs, and which shortcut opened it. */
export const ModalContext = z.object({
  channelId: z.string().optional(),
  /** See Caller. */
  askedIn: z.string().optional(),
  threadTs: z.string().optional(),
  shortcut: z.string().optional(),
  /** The value of the button that opened the form. */
  about: z.string().optional(),
  /** What the form showed, in words of ours. */
  seen: z.string().optional(),
  /** The message that the shortcut was used on. */
  messageTs: z.string().optional(),
  /** Its address, if the session's notes should start with it. */
  notes: z.string().optional(),
  /** The ticket that it links to. */
  ticketUrl: z.string().optional(),
});
export type ModalContext = z.infer<typeof ModalContext>;

export function readModalContext(privateMetadata: string): ModalContext {
  // A press outside a modal. Throwing an error for each would cost more than all the other parsing.
  if (privateMetadata === '') return {};
  try {
    return ModalContext.parse(JSON.parse(privateMetadata));
  } catch {
    return {};
  }
}

/** What was filled in, by block: each of our blocks holds one input. */
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
  view: z.object({ callback_id: z.string().default(''), app_installed_team_id: installedIn }).optional(),
});

/** An event of the Events API, in its envelope. Source: docs.slack.dev/apis/events-api, "Event envelope". */
export const EventPayload = z.object({
  team_id: id,
  authorizations: z.array(z.object({ user_id: z.string(), team_id: z.string().optional() })).optional(),
});
export type EventPayload = z.infer<typeof EventPayload>;

/** Before the workspace itself is found. */
type Unplaced<Who extends Caller> = Omit<Who, 'workspace'>;

/** Who used something, and where Slack says it happened. */
interface Happening {
  readonly team?: { readonly id: string } | null;
  readonly user: { readonly id: string; readonly team_id?: string | undefined };
  readonly view?: { readonly app_installed_team_id?: string | null };
}

/**
 * The workspace: the installation's if it's named, otherwise the user's. With the user's alone, a person from another
 * organization in a shared channel would pass as a member.
 */
function workspaceOf({ team, user, view }: Happening): string {
  return view?.app_installed_team_id ?? team?.id ?? user.team_id ?? '';
}

/** In a shared channel, the envelope of an event may name the other organization, so the installation's goes first. */
export function workspaceOfEvent({ team_id: around, authorizations = [] }: EventPayload): string {
  return authorizations[0]?.team_id ?? around;
}

export function callerOfCommand(payload: CommandPayload): Unplaced<Caller> {
  return { workspaceId: payload.team_id, userId: payload.user_id, channelId: payload.channel_id };
}

/** The thread that a press came from, if its message is a reply: what starts a thread is in the channel itself. */
export function threadOf({ message, container }: PressPayload): string | undefined {
  const threadTs = message?.thread_ts ?? container?.thread_ts ?? undefined;
  return threadTs === message?.ts ? undefined : threadTs;
}

function callerIn(payload: Happening, context: ModalContext): Unplaced<Caller> {
  const { channelId, askedIn, threadTs, notes, ticketUrl } = context;
  return { ...callerNowhere(payload), channelId, askedIn, threadTs, notes, ticketUrl };
}

export function callerOfPress(payload: PressPayload): Unplaced<Caller> {
  const context = readModalContext(payload.view?.private_metadata ?? '');
  const channelId = payload.channel?.id ?? context.channelId;
  const threadTs = payload.message?.thread_ts ?? payload.container?.thread_ts ?? context.threadTs;
  return callerIn(payload, { ...context, channelId, threadTs });
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
export const callerOfShortcut = (payload: MessageShortcutPayload) => ({
  ...callerNowhere(payload),
  channelId: payload.channel.id,
  threadTs: payload.message.thread_ts ?? payload.message.ts,
});

export const callerOfSubmission = (payload: SubmissionPayload): Unplaced<Caller> =>
  callerIn(payload, readModalContext(payload.view.private_metadata));

/** Who used a payload that has no channel. */
export function callerNowhere(payload: Happening): Unplaced<Caller> {
  return { workspaceId: workspaceOf(payload), userId: payload.user.id };
}

/** What Slack sends, as the log names it. */
type PayloadKind =
  | 'command'
  | 'press'
  | 'form'
  | 'shortcut'
  | 'message shortcut'
  | 'search field'
  | 'opening of the Home tab'
  | 'channel event'
  | 'directory event'
  | 'event about the app';

/** Undefined if a payload isn't as it should be. That is logged. */
export type ReadPayload = <Payload>(
  kind: PayloadKind,
  schema: z.ZodType<Payload>,
  body: unknown,
) => Payload | undefined;

/** Nothing that is read lies deeper. */
const DEEPEST = 20;

/** Slack leaves a field out that has no value, or sends null: the same to us. */
function withoutNulls(value: unknown, depth = 0): unknown {
  if (depth > DEEPEST || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => withoutNulls(one, depth + 1));
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== null)
      .map(([key, inner]) => [key, withoutNulls(inner, depth + 1)]),
  );
}

/** Logs the kind and the names of the wrong fields, never their content. */
export function createPayloadReader(log: Log): ReadPayload {
  return function readPayload(kind, schema, body) {
    const parsed = schema.safeParse(withoutNulls(body));
    if (parsed.success) return parsed.data;
    // No deeper: further keys may have been chosen by a person.
    const fields = [...new Set(parsed.error.issues.map(({ path }) => path.slice(0, 2).join('.')))];
    log.warn({ kind, fields }, "Slack sent something this app can't read, so nothing was done");
    return undefined;
  };
}
