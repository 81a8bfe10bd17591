/**
 * What the sandbox page and the stand-in Slack say to each other. This is not a Slack API: it stands for the
 * private link between Slack's own client and Slack. Everything is JSON; `as` is the user who sits at the page.
 *
 * - `GET /`                         the page; `GET /page/<file>` its parts.
 * - `GET /page-api/stream?as=U..`   server-sent events: one `snapshot` (a {@link Snapshot}) at once and on each change.
 * - `POST /page-api/reload`         {as}: the page was (re)loaded: the user's ephemeral messages and modals are gone.
 * - `POST /page-api/command`        {as, channel, text}: text as typed, beginning with "/".
 * - `POST /page-api/message`        {as, channel, text, thread_ts?}: an ordinary message.
 * - `POST /page-api/shortcut`       {as, channel, message_ts, callback_id}: a message shortcut.
 * - `POST /page-api/press`          {as, source, block_id, action_id, value?, selected_option?, state?}: a button or menu;
 *                                   for a URL button too (Slack sends the press beside opening the address).
 * - `POST /page-api/submit`         {as, view_id, state}: a modal's submit button.
 * - `POST /page-api/close`          {as, view_id}: a modal closed by the user.
 *
 * Every POST answers `{ok: true}` or `{ok: false, error: "words for a person"}`.
 */
import type { KnownBlock } from '@slack/types';

export interface PageUser {
  readonly id: string;
  /** Display name. */
  readonly name: string;
  /** One or two letters, drawn as the picture. */
  readonly initials: string;
  readonly is_bot: boolean;
}

export interface PageChannel {
  readonly id: string;
  /** Without "#"; for a direct message the other's name. */
  readonly name: string;
  readonly kind: 'channel' | 'dm';
  readonly topic: string;
  /** Whether the app's bot is a member: it can post only then. */
  readonly has_app: boolean;
}

export interface PageMessage {
  readonly ts: string;
  readonly channel: string;
  readonly user: string;
  readonly text: string;
  readonly blocks: readonly KnownBlock[];
  readonly thread_ts?: string;
  readonly edited: boolean;
  /** Only this page's user sees it, until the page is reloaded. */
  readonly ephemeral: boolean;
  /** Set where Slack itself speaks (Slackbot's "/cobrowse failed with ..."). */
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
  readonly me: string;
  readonly workspace: string;
  readonly users: readonly PageUser[];
  readonly channels: readonly PageChannel[];
  readonly messages: readonly PageMessage[];
  /** The modal stack, the top one last. */
  readonly views: readonly PageView[];
  readonly commands: readonly PageCommand[];
  readonly shortcuts: readonly PageShortcut[];
  /** "/cobrowse" subcommands with usage and summary, for the composer's completion. */
  readonly completions: readonly { readonly usage: string; readonly summary: string }[];
  /** block_action elements whose press Slack is still waiting for an acknowledgement of: `block_id/action_id`. */
  readonly pending: readonly string[];
  /** Presses that were not acknowledged in 3 s: Slack shows a warning triangle beside the button. */
  readonly failed: readonly string[];
}

/** Where an element that was pressed stands. */
export type PressSource =
  | { readonly type: 'message'; readonly channel: string; readonly ts: string }
  | { readonly type: 'view'; readonly view_id: string };

/** Values of a modal's inputs or a message's stateful elements: block_id, action_id, Slack's own state shape. */
export type ViewState = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, unknown>>>>>>;
