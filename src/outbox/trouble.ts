import type { Trouble, TroubleKind } from '../messages/delivery-words.ts';
import { isTokenRefused } from '../workspaces/holds.ts';

/**
 * What Slack's codes mean for a delivery. Source: chat.postMessage, Errors; `http_…`, `no_answer` and those after it
 * are ours.
 */
const KINDS: readonly (readonly [TroubleKind, RegExp])[] = [
  ['not-in-channel', /^(?:channel_not_found|not_in_channel)$/],
  ['archived', /^is_archived$/],
  ['restricted', /^(?:restricted_action(?:_\w+)?|posting_to_general_channel_denied|is_inactive)$/],
  ['refused-token', /^not_installed$/],
  ['missing-scope', /^missing_scope$/],
  ['too-long', /^(?:msg_too_long|msg_blocks_too_long)$/],
  [
    'unreachable-person',
    /^(?:cannot_dm_\w+|user_not_found|user_disabled|users_not_found|messages_tab_disabled)$/,
  ],
  ['busy', /^(?:rate_?limited|message_limit_exceeded|rollup_error|accesslimited)$/],
  [
    'slack-down',
    /^(?:internal_error|fatal_error|service_unavailable|request_timeout|team_added_to_org|http_\d+)$/,
  ],
  ['no-answer', /^no_answer$/],
  ['filter-unknown', /^filter_unknown$/],
  ['set-aside', /^set_aside$/],
  ['unreadable', /^record_unreadable$/],
];

export function troubleKind(code: string): TroubleKind {
  if (isTokenRefused(code)) return 'refused-token';
  return KINDS.find(([, codes]) => codes.test(code))?.[0] ?? 'unknown';
}

/** These aren't about a person, who can be notified once the app is installed correctly again. */
export const OF_THE_APP: ReadonlySet<TroubleKind> = new Set(['refused-token', 'missing-scope']);

/** The stored outcome of an attempt that didn't post: Slack's code or ours, and the scope that was missing. */
export interface Refusal {
  readonly reason: string;
  readonly neededScope?: string | undefined;
}

export function troubleOf({ reason, neededScope }: Refusal): Trouble {
  return { kind: troubleKind(reason), code: reason, neededScope };
}
