import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Caller, Presser } from '../commands/rights.ts';
import { jsonText, type Filled } from '../commands/command.ts';
import type { Log } from '../logging/log.ts';
import { readMarked } from '../workspaces/web-client.ts';
import type { Workspaces } from '../workspaces/workspaces.ts';

// Source: docs.slack.dev/interactivity/implementing-slash-commands and docs.slack.dev/reference/interaction-payloads.
const id = z.string().min(1);
const words = z.string().default('');
const who = { team: z.object({ id }).optional(), user: z.object({ id, team_id: id.optional() }) };
/** In a modal, `team` is the person's organization, and this is the app's workspace. Source: view submissions, Slack Connect. */
const app_installed_team_id = id.optional();

export const CommandPayload = z.object({
  command: z.string(),
  text: words,
  team_id: id,
  user_id: id,
  channel_id: id,
  response_url: z.url(),
});

const Action = z
  .object({
    action_id: z.string(),
    block_id: words,
    action_ts: words,
    value: z.string().optional(),
    selected_option: z.object({ value: z.string() }).optional(),
  })
  .transform(({ value, selected_option, ...action }) => ({
    ...action,
    value: value ?? selected_option?.value ?? '',
  }));

export const PressPayload = z.object({
  ...who,
  trigger_id: z.string(),
  channel: z.object({ id }).optional(),
  message: z
    .object({ ts: z.string(), thread_ts: z.string().optional(), bot_id: z.string().optional() })
    .optional(),
  container: z.object({ thread_ts: z.string().optional(), is_ephemeral: z.boolean().optional() }).optional(),
  view: z
    .object({
      id,
      type: z.string().default('modal'),
      callback_id: words,
      private_metadata: words,
      app_installed_team_id,
    })
    .optional(),
  response_url: z.url().optional(),
  actions: z.tuple([Action], z.unknown()),
});
export type PressPayload = z.infer<typeof PressPayload>;

export const MessageShortcutPayload = z.object({
  callback_id: z.string(),
  trigger_id: z.string(),
  ...who,
  channel: z.object({ id }),
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

const chosen = z.string().optional();
const Option = z.object({ value: z.string() }).transform(({ value }) => value);

const InputValues = z
  .object({
    value: chosen,
    selected_option: Option.optional(),
    selected_options: z.array(Option).default([]),
    selected_conversation: chosen,
    selected_time: chosen,
    selected_date: chosen,
    selected_user: chosen,
    selected_users: z.array(z.string()).default([]),
    selected_conversations: z.array(z.string()).default([]),
  })
  .transform((input) => Object.values(input).flatMap((value) => value ?? []));

export const SubmissionPayload = z.object({
  ...who,
  view: z.object({
    id,
    callback_id: z.string(),
    title: z.object({ text: z.string() }).optional(),
    private_metadata: words,
    app_installed_team_id,
    state: z.object({ values: z.record(z.string(), z.record(z.string(), InputValues)) }),
  }),
});
export type SubmissionPayload = z.infer<typeof SubmissionPayload>;

/** Kept in a modal's `private_metadata`: where the answer belongs, and which shortcut opened it. */
const ModalContext = z.object({
  channelId: z.string().optional(),
  askedIn: z.string().optional(),
  threadTs: z.string().optional(),
  shortcut: z.string().optional(),
  /** The value of the button that opened the form. */
  about: z.string().optional(),
  /** What the form showed, in words of ours. */
  seen: z.string().optional(),
  messageTs: z.string().optional(),
  /** Its address, if the session's notes should start with it. */
  notes: z.string().optional(),
  ticketUrl: z.string().optional(),
});
export type ModalContext = z.infer<typeof ModalContext>;

const Metadata = jsonText.pipe(ModalContext);

export const readModalContext = (privateMetadata: string): ModalContext =>
  // A press outside a modal has none: an error thrown for each would cost more than all the other parsing.
  (privateMetadata === '' ? undefined : Metadata.safeParse(privateMetadata).data) ?? {};

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
  ...who,
});

/** A search field asks for options. Source: docs.slack.dev/reference/interaction-payloads/block_suggestion-payload. */
export const SuggestionPayload = z.object({
  action_id: z.string(),
  value: words,
  ...who,
  view: z.object({ callback_id: words, app_installed_team_id }).optional(),
});

/** An event of the Events API, in its envelope. Source: docs.slack.dev/apis/events-api, "Event envelope". */
export const EventPayload = z.object({
  team_id: id.optional(),
  enterprise_id: id.optional(),
  authorizations: z
    .array(z.object({ user_id: z.string().optional(), team_id: id.optional(), enterprise_id: id.optional() }))
    .optional(),
});

/** The installation's, since the envelope of an event in a shared channel may name the other organization. */
export function placeOfEvent({ team_id, enterprise_id, authorizations = [] }: z.infer<typeof EventPayload>) {
  const [first] = authorizations;
  return {
    workspaceId: first?.team_id ?? team_id ?? '',
    organizationId: first?.enterprise_id ?? enterprise_id,
    /** Who the app is there, where Slack says so. */
    bots: authorizations.flatMap(({ user_id: bot }) => bot ?? []),
  };
}

type Unplaced<Who extends Caller> = Omit<Who, 'workspace'>;

type Happening = Pick<z.infer<typeof GlobalShortcutPayload>, keyof typeof who> &
  Partial<Pick<PressPayload, 'channel' | 'message' | 'container'>> & {
    readonly view?: { readonly app_installed_team_id?: string; readonly private_metadata?: string };
  };

/** The installation's workspace: by the user's, outsiders in a shared channel would pass as members. */
export function callerOf({ team, user, view, channel, message, container }: Happening): Unplaced<Caller> {
  const context = readModalContext(view?.private_metadata ?? '');
  const { askedIn, notes, ticketUrl } = context;
  return {
    workspaceId: view?.app_installed_team_id ?? team?.id ?? '',
    userId: user.id,
    channelId: channel?.id ?? context.channelId,
    askedIn,
    threadTs: message?.thread_ts ?? container?.thread_ts ?? context.threadTs,
    messageTs: message?.ts ?? context.messageTs,
    notes,
    ticketUrl,
  };
}

export const callerOfCommand = ({ team_id, user_id, channel_id }: z.infer<typeof CommandPayload>) => ({
  workspaceId: team_id,
  userId: user_id,
  channelId: channel_id,
});

/** The session's messages go into the thread of the message that the shortcut was used on. */
export const callerOfShortcut = (payload: MessageShortcutPayload) => ({
  ...callerOf(payload),
  threadTs: payload.message.thread_ts ?? payload.message.ts,
});

/** The thread that a press came from, if its message is a reply: what starts a thread is in the channel itself. */
export function threadOf({ message, container }: Partial<PressPayload>): string | undefined {
  const threadTs = message?.thread_ts ?? container?.thread_ts;
  return threadTs === message?.ts ? undefined : threadTs;
}

/** Who pressed, and the press itself: everything that makes it unique is in what Slack signed. */
export function presserOf(payload: PressPayload): Unplaced<Presser> {
  const caller = callerOf(payload);
  const [{ action_id, action_ts, value }] = payload.actions;
  const whole = [caller.workspaceId, caller.userId, payload.trigger_id, action_ts, action_id, value];
  const hash = createHash('sha256').update(JSON.stringify(whole)).digest('base64url').slice(0, 32);
  return { ...caller, press: { id: hash, pressedAt: Math.floor(Number(action_ts) * 1_000) || 0 } };
}

/** Slack leaves a field out that has no value, or sends null: the same to us. Nothing that is read lies deeper than 20. */
function withoutNulls(value: unknown, depth = 0): unknown {
  if (depth > 20 || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => withoutNulls(one, depth + 1));
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== null)
      .map(([key, inner]) => [key, withoutNulls(inner, depth + 1)]),
  );
}

/** What says whose a payload is for which Slack names no workspace, or in its place the organization. */
const UnplacedPayload = z.object({
  enterprise: z.object({ id }).optional(),
  team: z.object({ id }).optional(),
  view: z.looseObject({ app_installed_team_id, callback_id: words }).optional(),
  user: who.user.optional(),
  actions: z.array(z.object({ block_id: words })).default([]),
  /** Of an event: in a shared channel it may be the other organization's. */
  team_id: id.optional(),
  authorizations: EventPayload.shape.authorizations,
});

/**
 * With the workspace that an organization's payload is about: the one that posted what was used there, or else the person's or
 * event's, if it's one of those to which that organization gave the app. @param workspaceIn rejects with a DatabaseError
 */
export async function placed<Sent extends Readonly<Record<string, unknown>>>(
  body: Sent,
  workspaceIn: Workspaces['access']['workspaceIn'],
): Promise<Sent> {
  if (!body['enterprise'] && !body['authorizations']) return body;
  const { data } = UnplacedPayload.safeParse(withoutNulls(body));
  if (data === undefined) return body;
  const { enterprise, team, view, user, actions, team_id, authorizations: [first] = [] } = data;
  const organizationId = first?.enterprise_id ?? enterprise?.id;
  const named = first?.team_id ?? view?.app_installed_team_id ?? team?.id ?? organizationId;
  if (organizationId === undefined || named !== organizationId) return body;
  const { installId } = readMarked(view?.callback_id ?? actions[0]?.block_id ?? '');
  const found = await workspaceIn(organizationId, { installId, workspaceId: user?.team_id ?? team_id });
  if (first) return { ...body, team_id: found, authorizations: [{ ...first, team_id: found }] };
  const placedView = view && { view: { ...view, app_installed_team_id: found } };
  return { ...body, team: found && { id: found }, ...placedView };
}

/** Undefined if a payload isn't as it should be. The kind and the names of the wrong fields are logged, never their content. */
export const createPayloadReader =
  (log: Log) =>
  <Payload>(kind: string, schema: z.ZodType<Payload>, body: unknown): Payload | undefined => {
    const { data, error } = schema.safeParse(withoutNulls(body));
    // No deeper: further keys may have been chosen by a person.
    const fields = [...new Set(error?.issues.map(({ path }) => path.slice(0, 2).join('.')))];
    if (error) log.warn({ kind, fields }, "Slack sent something this app can't read, so nothing was done");
    return data;
  };
