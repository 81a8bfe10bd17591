/**
 * How the sandbox page and the stand-in Slack talk. This isn't a Slack API: it takes the place of the
 * private connection between Slack's client and Slack. Everything is JSON; `as` is the user at the page.
 *
 * - `GET /`                         the page; `GET /page/<file>` its parts.
 * - `GET /page-api/stream?as=U..`   server-sent events: one `snapshot` (a {@link Snapshot}) immediately and on each change.
 * - `POST /page-api/reload`         {as, tz?}: the page was (re)loaded: the user's ephemeral messages and modals are gone;
 *                                   `tz` is the browser's time zone, which becomes the user's.
 * - `POST /page-api/command`        {as, channel, text}: text as typed, beginning with "/".
 * - `POST /page-api/message`        {as, channel, text, thread_ts?}: an ordinary message, or a reply in a thread.
 * - `POST /page-api/shortcut`       {as, channel, message_ts, callback_id}: a message shortcut.
 * - `POST /page-api/global-shortcut` {as, callback_id, viewing?}: a global shortcut; `viewing` is the open channel.
 * - `POST /page-api/home`           {as, tab}: a tab of the app's Home was opened: `home` or `messages`.
 * - `POST /page-api/press`          {as, source, block_id, action_id, value?, selected_option?, state?}: a button or menu;
 *                                   for a URL button too (Slack sends the press beside opening the address).
 * - `POST /page-api/suggest`        {as, source, block_id, action_id, value, state?}: `value` typed into an external
 *                                   select; answers {@link Suggestions} beside `ok: true`.
 * - `POST /page-api/slackbot`       {as, tool?, args?}: asks the app through its MCP server, as Slackbot does; answers its tools
 *                                   and, where one is named, what that said, beside `ok: true` (see slackbot.ts).
 * - `POST /page-api/submit`         {as, view_id, state}: a modal's submit button.
 * - `POST /page-api/close`          {as, view_id}: a modal closed by the user.
 * - `POST /page-api/channel`        {as, channel, change}: `archive`, `unarchive`, `invite-app` or `remove-app`.
 * - `POST /page-api/uninstall`      {as}: the app is removed from the workspace.
 * - `POST /page-api/phone`          {as, loses_link_presses}: whether the user's client keeps presses of URL buttons to
 *                                   itself.
 * - `POST /page-api/tour`           {as}: the first steps were closed, for everyone.
 * - `POST /page-api/reset`          {as}: everything goes back to its start; this server closes, and another takes over.
 * - `POST /page-api/misbehave`      {method, how?, times? or share?}: not asked by the page, but by whoever tries failures:
 *                                   the method answers so (see misbehaviors.ts), once where neither is said; without
 *                                   `how` it behaves again.
 * - `GET /page-api/file/F..?as=U..` a file the user sees.
 * - `GET /archives/C../p..`         a message's permalink: leads to the page, at `/#C../<ts>`.
 *
 * Every POST answers `{ok: true}` or `{ok: false, error: "words for a person"}`.
 */
import type { KnownBlock, PlainTextOption } from '@slack/types';

export interface PageUser {
  readonly id: string;
  /** Display name. */
  readonly name: string;
  /** One or two letters, drawn as the avatar. */
  readonly initials: string;
  readonly is_bot: boolean;
  /** The organization's name, if it isn't the same as the page user's. */
  readonly organization?: string;
  /** Can no longer use the page. */
  readonly deactivated: boolean;
}

export interface PageChannel {
  readonly id: string;
  /** Without "#"; for a direct message, the other person's name. */
  readonly name: string;
  readonly kind: 'channel' | 'dm';
  readonly topic: string;
  /** Whether the app's bot is a member; only then can it post. */
  readonly has_app: boolean;
  /** The other organization's name, for a channel shared with it. */
  readonly shared_with?: string;
  readonly archived: boolean;
  /** If the app accepts no messages in its Messages tab. */
  readonly read_only: boolean;
}

export interface PageFile {
  readonly id: string;
  readonly name: string;
  readonly title: string;
  /** Bytes. */
  readonly size: number;
}

export interface PageMessage {
  readonly ts: string;
  readonly channel: string;
  readonly user: string;
  readonly text: string;
  readonly blocks: readonly KnownBlock[];
  readonly thread_ts?: string;
  readonly files: readonly PageFile[];
  /** Its permalink; absent if only this page's user sees it. */
  readonly permalink?: string;
  readonly edited: boolean;
  /** Only this page's user sees it, until the page is reloaded. */
  readonly ephemeral: boolean;
  /** Set for Slack's own messages (Slackbot's "/cobrowse failed with ..."). */
  readonly from_slack: boolean;
}

export interface PageView {
  readonly id: string;
  readonly title: string;
  readonly submit?: string;
  readonly close?: string;
  readonly blocks: readonly KnownBlock[];
  /** By block_id, from `response_action: errors`; the key "" holds an error of the modal as a whole. */
  readonly errors: Readonly<Record<string, string>>;
}

/** The app's Home, if its manifest enables it and the user belongs to the workspace. */
export interface PageHome {
  /** The direct messages with the app: the Messages tab. */
  readonly channel: string;
  /** What the app published; absent until it has. */
  readonly view?: { readonly id: string; readonly blocks: readonly KnownBlock[] };
}

/** The choices of an external select. */
export interface Suggestions {
  readonly options: readonly PlainTextOption[];
}

interface PageCommand {
  readonly command: string;
  readonly description: string;
  readonly usage_hint: string;
}

interface PageShortcut {
  readonly callback_id: string;
  readonly name: string;
  readonly description: string;
}

/** Everything one user sees. */
export interface Snapshot {
  /** How often everything went back to its start; what a page remembers is from since then. */
  readonly resets: number;
  readonly me: string;
  readonly workspace: string;
  readonly users: readonly PageUser[];
  readonly channels: readonly PageChannel[];
  readonly messages: readonly PageMessage[];
  /** The modal stack, the top one last. */
  readonly views: readonly PageView[];
  readonly home?: PageHome;
  readonly user_groups: readonly { readonly id: string; readonly handle: string }[];
  readonly commands: readonly PageCommand[];
  /** On messages. */
  readonly shortcuts: readonly PageShortcut[];
  /** In the composer. */
  readonly global_shortcuts: readonly PageShortcut[];
  /** "/cobrowse" subcommands with usage and summary, for the composer's completion. */
  readonly completions: readonly { readonly usage: string; readonly summary: string }[];
  /** block_action elements whose press Slack is still waiting for an acknowledgement of: `block_id/action_id`. */
  readonly pending: readonly string[];
  /** Presses not acknowledged within 3 s: Slack shows a warning triangle beside the button. */
  readonly failed: readonly string[];
  /** Whether this user's presses of URL buttons don't reach the app. */
  readonly loses_link_presses: boolean;
  /** Whether the page can put everything back to its start. */
  readonly can_reset: boolean;
  /** While the page leads its users through the first steps: what to type. */
  readonly tour?: { readonly command: string };
  /** For an app that workspaces install. */
  readonly installing?: {
    /** This workspace's id. */
    readonly team: string;
    readonly installed: boolean;
    /** The app's page where an installation begins. */
    readonly url: string;
    /** The other workspaces, where everybody has the same id. */
    readonly others: readonly { readonly name: string; readonly url: string }[];
  };
}

/** Where a pressed element is. */
export type PressSource =
  | { readonly type: 'message'; readonly channel: string; readonly ts: string }
  | { readonly type: 'view'; readonly view_id: string };

/** Values of a modal's inputs or a message's stateful elements: block_id, action_id, Slack's own state shape. */
export type ViewState = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, unknown>>>>>>;
