import { WebAPIPlatformError } from '@slack/web-api';
import { describe, expect, it } from 'vitest';
import { callFailure, isContentRefused, isTooLate } from '../../src/slack/call-failure.ts';
import { kindOf } from '../../src/messages/slack-codes.ts';
import { alexInSupport } from '../sessions/ended-session.ts';
import { HOUR_MS, MINUTE_MS, startStage, took, type Asked } from '../outbox/stage.ts';

/** All that the methods we call may answer. Source: docs.slack.dev/reference/methods, Errors. */
const CODES = `
  access_denied accesslimited account_inactive app_access_restricted as_user_not_supported
  attachment_payload_limit_exceeded bad_client_secret bad_redirect_uri block_mismatch blocked_file_type cannot_dm_bot
  cannot_reply_to_message cant_delete_message cant_update_message channel_is_limited_access channel_not_found
  code_already_used compliance_exports_prevent_deletion deprecated_endpoint duplicate_channel_not_found
  duplicate_external_id duplicate_message_not_found edit_window_closed ekm_access_denied enterprise_is_restricted
  exchanged_trigger_id expired_trigger_id external_channel_migrating fatal_error fetch_members_failed file_not_found
  file_update_failed file_upload_size_restricted file_uploads_disabled file_uploads_except_images_disabled
  hash_conflict internal_error invalid_arg_name invalid_arguments invalid_array_arg invalid_attachments invalid_auth
  invalid_blocks invalid_blocks_format invalid_charset invalid_client_id invalid_code invalid_cursor
  invalid_form_data invalid_limit invalid_metadata_format invalid_metadata_schema invalid_post_type
  invalid_trigger_id invalid_ts_latest invalid_ts_oldest invalid_user_combination is_archived is_bot is_inactive
  markdown_text_conflict message_limit_exceeded message_not_found messages_tab_disabled
  metadata_must_be_sent_from_app metadata_too_large method_deprecated method_not_supported_for_channel_type
  missing_argument missing_channel missing_post_type missing_scope missing_ts msg_blocks_too_long msg_too_long
  no_permission no_such_subteam no_text not_allowed_token_type not_authed not_enabled not_enough_users not_found
  not_in_channel org_login_required plan_upgrade_required posting_to_channel_denied push_limit_reached rate_limited
  ratelimited request_timeout restricted_action restricted_action_non_threadable_channel
  restricted_action_read_only_channel restricted_action_thread_locked restricted_action_thread_only_channel
  rollup_error service_unavailable slack_connect_canvas_sharing_blocked slack_connect_file_link_sharing_blocked
  slack_connect_lists_sharing_blocked storage_limit_reached streaming_state_conflict subteam_not_found
  team_access_not_granted team_added_to_org thread_not_found token_expired token_revoked too_many_attachments
  too_many_contact_cards too_many_users two_factor_setup_required unknown_method update_failed user_disabled
  user_not_found user_not_in_channel user_not_visible users_not_found view_too_large`;

const wordsOf = (text: string) => text.split(/\s+/).filter((word) => word !== '');
const said = (code: string, more = {}) => new WebAPIPlatformError({ ok: false, error: code, ...more });
const toChannel = ({ to }: Pick<Asked, 'to'>) => to === alexInSupport.channelId;
const link = { ...alexInSupport, linkId: 'link-1' };

const inside = (message: string) => said('invalid_arguments', { response_metadata: { messages: [message] } });

/** A card in its channel, whose session ends while Slack says no to what `refuses` names. */
async function endedWhile(code: string, refuses: (asked: Asked) => boolean = toChannel) {
  let isOver = false;
  let isUp = false;
  const shown: Asked[] = [];
  const stage = await startStage({
    answer(asked) {
      if (isUp && !isOver && refuses(asked)) return callFailure(said(code));
      shown.push(asked);
      return took();
    },
    acceptsToken: async () => isOver,
  });
  await stage.announce(link);
  await stage.pass(2_000);
  isUp = true;
  await stage.tell('a', link);
  await stage.pass(MINUTE_MS, 5_000);
  /** What stands where the card was. */
  const inPlace = () => shown.findLast((one) => one.replaces !== undefined && toChannel(one))?.text;
  return { ...stage, shown, inPlace, end: () => void (isOver = true) };
}

describe('Slack’s codes', () => {
  it('are all known', () => {
    expect(wordsOf(CODES).filter((code) => kindOf(code) === 'unknown')).toEqual([]);
  });

  it('that say a trigger ran out aren’t about the content, however they say so', () => {
    for (const late of [said('expired_trigger_id'), inside('[ERROR] expired_trigger_id')]) {
      expect([isTooLate(late), isContentRefused(late)]).toEqual([true, false]);
    }
    const content = inside('[ERROR] must be more than 0 characters [json-pointer:/view/blocks]');
    expect([isTooLate(content), isContentRefused(content)]).toEqual([false, true]);
  });
});

describe('a summary whose channel Slack refuses', () => {
  it.each(
    wordsOf(`org_login_required team_added_to_org team_access_not_granted external_channel_migrating
      service_unavailable accesslimited rate_limited a_code_of_2027`),
  )('with %s for hours takes its card’s place once that’s over', async (code) => {
    const stage = await endedWhile(code);
    await stage.pass(20 * HOUR_MS, 10 * MINUTE_MS);
    expect(stage.inPlace()).toBeUndefined();
    stage.end();
    await stage.pass(10 * MINUTE_MS, MINUTE_MS);
    expect(stage.inPlace()).toContain('Agent of a');
    expect(stage.shown.filter((asked) => !toChannel(asked))).toEqual([]);
  });

  it('with a code that nobody knows holds up no other message, and after a day goes to its agent', async () => {
    const stage = await endedWhile(
      'a_code_of_2027',
      (asked) => toChannel(asked) && asked.text.includes('of a'),
    );
    await stage.tell('b');
    await stage.pass(MINUTE_MS, 1_000);
    expect(stage.shown.some(({ text }) => text.includes('Agent of b'))).toBe(true);
    await stage.pass(25 * HOUR_MS, 10 * MINUTE_MS);
    expect(await stage.summaryOf('a')).toMatchObject({ state: 'failed', reason: 'a_code_of_2027' });
    expect(stage.shown.some((asked) => !toChannel(asked) && asked.text.includes('a_code_of_2027'))).toBe(
      true,
    );
  });

  it.each<readonly [string, number]>([
    ['is_archived', 4 * 24],
    ...wordsOf('restricted_action not_in_channel no_permission ekm_access_denied missing_scope').map(
      (code) => [code, 1] as const,
    ),
  ])(
    'with %s goes to its agent; the card says so %i hours later, once it can, and Retry posts it there',
    async (code, hours) => {
      const stage = await endedWhile(code);
      await stage.pass(hours * HOUR_MS, HOUR_MS);
      stage.end();
      await stage.pass(10 * MINUTE_MS, MINUTE_MS);
      expect(stage.inPlace()).toContain('I couldn’t post the summary here');
      const listed = await stage.overview.list(link.workspaceId, 9);
      expect(listed.entries.map(({ to }) => to)).toEqual([alexInSupport.channelId]);
      await stage.acts.retry(link.workspaceId, listed.entries[0]?.id ?? '');
      await stage.pass(MINUTE_MS, 5_000);
      expect(stage.inPlace()).toContain('Agent of a');
    },
  );

  it('for how it’s laid out is there in words alone', async () => {
    const stage = await endedWhile('invalid_blocks', ({ isBare }) => !isBare);
    expect(stage.inPlace()).toContain('Agent of a');
    expect((await stage.summaryOf('a'))?.state).toBe('posted');
  });

  it.each(['message_not_found', 'cant_update_message', 'edit_window_closed', 'block_mismatch'])(
    'where the card was, with %s, is posted anew',
    async (code) => {
      const stage = await endedWhile(code, ({ replaces }) => replaces !== undefined);
      expect((await stage.summaryOf('a'))?.state).toBe('posted');
    },
  );

  it.each(
    wordsOf('thread_not_found restricted_action_non_threadable_channel restricted_action_thread_locked'),
  )('in its thread, with %s, is posted in the channel itself', async (code) => {
    const stage = await startStage({
      answer: ({ threadTs }) => (threadTs === undefined ? took() : callFailure(said(code))),
    });
    await stage.tell('a', { threadTs: '1700000000.000001' });
    await stage.pass(5_000);
    expect((await stage.summaryOf('a'))?.state).toBe('posted');
  });
});
