/**
 * Every error that Slack documents for the methods we call, and what to do then; a star stands for any ending.
 * Source: docs.slack.dev/reference/methods, Errors. Ours are `not_installed`, `http_*`, `no_answer`, `channel_deleted` and the
 * last four.
 *
 * `hold-workspace`, until Slack takes its token again; `hold-channel`; `wait`, which holds up nothing else; `ask` somebody, since
 * it doesn't pass; post `outside-thread`, `anew` or `simpler`, at once; `press-again`; `never`.
 */
const KINDS = {
  'refused-token': [
    'hold-workspace',
    'invalid_auth not_authed account_inactive token_revoked token_expired invalid_refresh_token not_installed',
  ],
  migrating: ['hold-workspace', 'org_login_required team_added_to_org'],
  'not-granted': ['hold-workspace', 'team_access_not_granted'],
  busy: [
    'hold-channel',
    `ratelimited rate_limited message_limit_exceeded rollup_error external_channel_migrating streaming_state_conflict
      update_failed fetch_members_failed file_update_failed`,
  ],
  'slack-down': ['wait', 'service_unavailable request_timeout internal_error fatal_error http_*'],
  'no-answer': ['wait', 'no_answer'],
  network: ['wait', 'accesslimited'],
  'missing-scope': ['ask', 'missing_scope'],
  'not-allowed': [
    'ask',
    `no_permission access_denied app_access_restricted two_factor_setup_required enterprise_is_restricted
      file_uploads_disabled file_uploads_except_images_disabled file_upload_size_restricted storage_limit_reached
      blocked_file_type plan_upgrade_required slack_connect_*`,
  ],
  'messages-off': ['ask', 'messages_tab_disabled not_enabled'],
  'not-in-channel': ['ask', 'channel_not_found not_in_channel invalid_channel user_not_in_channel'],
  archived: ['ask', 'is_archived is_inactive'],
  deleted: ['ask', 'channel_deleted'],
  restricted: [
    'ask',
    `restricted_action restricted_action_read_only_channel restricted_action_thread_only_channel
      posting_to_channel_denied posting_to_general_channel_denied channel_is_limited_access ekm_access_denied`,
  ],
  'other-conversation': ['ask', 'method_not_supported_for_channel_type channel_type_not_supported'],
  'unreachable-person': [
    'never',
    `user_not_found user_not_visible users_not_found user_disabled cannot_dm_* invalid_user_combination not_enough_users
      too_many_users`,
  ],
  'no-thread': [
    'outside-thread',
    `restricted_action_non_threadable_channel restricted_action_thread_locked cannot_reply_to_message thread_not_found`,
  ],
  gone: ['anew', 'message_not_found cant_update_message edit_window_closed block_mismatch'],
  'too-long': ['simpler', 'msg_too_long msg_blocks_too_long view_too_large'],
  layout: [
    'simpler',
    `invalid_blocks invalid_blocks_format invalid_arguments invalid_payload no_text markdown_text_conflict
      too_many_attachments too_many_contact_cards invalid_attachments attachment_payload_limit_exceeded
      cannot_parse_attachment metadata_too_large invalid_metadata_*`,
  ],
  'too-late': [
    'press-again',
    'expired_trigger_id exchanged_trigger_id invalid_trigger_id not_found push_limit_reached hash_conflict',
  ],
  'no-group': ['never', 'no_such_subteam subteam_not_found'],
  'our-fault': [
    'never',
    `invalid_* missing_* deprecated_* method_deprecated method_not_supported unknown_method not_allowed_token_type is_bot
      as_user_not_supported cant_broadcast_message cant_delete_message compliance_exports_prevent_deletion
      duplicate_channel_not_found duplicate_message_not_found duplicate_external_id metadata_must_be_sent_from_app limit_required
      request_too_large file_not_found team_not_found channel_canvas_* bad_client_secret bad_redirect_uri
      code_already_used`,
  ],
  'filter-unknown': ['wait', 'filter_unknown visitor_unknown'],
  unreadable: ['wait', 'record_unreadable'],
  'set-aside': ['never', 'set_aside'],
} as const satisfies Record<string, readonly [todo: string, codes: string]>;

/** `unknown`: not in any documentation that we have read. */
export type CodeKind = keyof typeof KINDS | 'unknown';

const isKind = (name: string): name is keyof typeof KINDS => name in KINDS;

const CODES: ReadonlyMap<string, CodeKind> = new Map(
  Object.entries(KINDS).flatMap(([kind, [, codes]]) =>
    isKind(kind) ? codes.split(/\s+/).map((code) => [code, kind] as const) : [],
  ),
);
const BEGINNINGS = [...CODES.keys()]
  .filter((code) => code.endsWith('*'))
  .map((code) => code.slice(0, -1))
  .toSorted((one, other) => other.length - one.length);

export function kindOf(code: string): CodeKind {
  const beginning = BEGINNINGS.find((one) => code.startsWith(one));
  return CODES.get(code) ?? CODES.get(`${beginning}*`) ?? 'unknown';
}

/** An unknown code means `wait-a-day`, since most of Slack's pass. */
export function todoAbout(code: string) {
  const kind = kindOf(code);
  return kind === 'unknown' ? 'wait-a-day' : KINDS[kind][0];
}

export const isTokenRefused = (code: string): boolean => kindOf(code) === 'refused-token';

export function passes(code: string): boolean {
  const todo = todoAbout(code);
  if (todo === 'hold-workspace') return !isTokenRefused(code);
  return ['wait', 'wait-a-day', 'hold-channel'].includes(todo);
}

export const codesOf = (wanted: CodeKind): readonly string[] =>
  [...CODES].filter(([, kind]) => kind === wanted).map(([code]) => code);
