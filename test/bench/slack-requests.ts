import { createHmac } from 'node:crypto';
import { type WatchRequest, valueOf } from '../../src/messages/link-request.ts';
import type { LoadRequest } from './load-job.ts';
import { SIGNING_SECRET } from './surroundings.ts';

/** Slack's largest interaction payloads are of this size: a message with 50 blocks. */
const PRESS_BYTES = 31 * 1_024;

function signed(body: string, type = 'application/x-www-form-urlencoded'): LoadRequest {
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const digest = createHmac('sha256', SIGNING_SECRET).update(`v0:${timestamp}:${body}`).digest('hex');
  return {
    method: 'POST',
    path: '/slack/events',
    headers: {
      'content-type': type,
      'x-slack-signature': `v0=${digest}`,
      'x-slack-request-timestamp': timestamp,
    },
    body,
  };
}

const userId = (person: number) => `U0BENCH${String(person).padStart(4, '0')}`;

const FIFTY = Array.from({ length: 50 }, () => ({ workspaceId: 'T0BENCH0001', channelId: 'C0BENCH0001' }));

let lastTrigger = 0;

/** `/cobrowse <text>` of fifty people, or of one in each of these places, signed now. */
export function signedCommands(text: string, responseUrl: string, places = FIFTY): LoadRequest[] {
  return places.map(({ workspaceId, channelId }, person) =>
    signed(
      new URLSearchParams({
        token: 'gIkuvaNzQIHg97ATvDxqgjtO',
        team_id: workspaceId,
        team_domain: 'example',
        channel_id: channelId,
        channel_name: 'support',
        user_id: userId(person),
        user_name: 'ann',
        command: '/cobrowse',
        text,
        api_app_id: 'A0BENCH0001',
        is_enterprise_install: 'false',
        response_url: responseUrl,
        // Two commands in one second would be the same request, sent again.
        trigger_id: `1234567890.${(lastTrigger += 1)}.0123456789abcdef0123456789abcdef`,
      }).toString(),
    ),
  );
}

let lastEvent = 0;

/** So many people open the Home tab, now. */
export function signedHomeOpenings(people = 50): LoadRequest[] {
  return Array.from({ length: people }, (_, person) =>
    signed(
      JSON.stringify({
        token: 'gIkuvaNzQIHg97ATvDxqgjtO',
        team_id: 'T0BENCH0001',
        api_app_id: 'A0BENCH0001',
        type: 'event_callback',
        event_id: `Ev0BENCH${(lastEvent += 1)}`,
        event_time: Math.floor(Date.now() / 1_000),
        authorizations: [{ team_id: 'T0BENCH0001', user_id: 'U0', is_bot: true }],
        event: {
          type: 'app_home_opened',
          user: userId(person),
          channel: `D0BENCH${person}`,
          event_ts: `${Date.now() / 1_000}`,
          tab: 'home',
        },
      }),
      'application/json',
    ),
  );
}

/** A press of a Watch button. */
function pressOf(
  { userId: presser, channelId, visitorId, access }: WatchRequest,
  number: number,
  rows: number,
): string {
  const value = valueOf({ press: { visitorId, access }, for: presser });
  const blocks = Array.from({ length: rows }, (_, row) => ({
    type: 'section',
    block_id: `row-${row}`,
    text: { type: 'mrkdwn', text: `*Jane Cooper* online now, on /checkout/payment, visitor ${row}` },
    accessory: {
      type: 'button',
      action_id: 'watch',
      text: { type: 'plain_text', text: 'Watch' },
      url: `https://app.example/watch/${'AbCdEfGhIjKlMnOp'.repeat(14)}`,
      value,
    },
  }));
  return pressed(
    { userId: presser, channelId },
    { action_id: 'watch', block_id: 'row-0', value },
    number,
    blocks,
  );
}

/** A press at a time of its own: no two are the same. */
function pressed(
  { userId: presser, channelId }: Pick<WatchRequest, 'userId' | 'channelId'>,
  action: { readonly action_id: string; readonly block_id: string; readonly value: string },
  number: number,
  blocks: readonly object[],
): string {
  const seconds = (Date.now() / 1_000).toFixed(0);
  const payload = {
    type: 'block_actions',
    api_app_id: 'A0BENCH0001',
    team: { id: 'T0BENCH0001', domain: 'example' },
    user: { id: presser, username: 'ann', team_id: 'T0BENCH0001' },
    channel: { id: channelId, name: 'support' },
    container: { type: 'message', message_ts: '1700000000.000100', channel_id: channelId },
    message: { type: 'message', ts: '1700000000.000100', text: 'Visitors', blocks },
    trigger_id: '1234567890.1234567890.0123456789abcdef0123456789abcdef',
    response_url: 'https://hooks.slack.com/actions/T0BENCH0001/1/abc',
    actions: [{ ...action, action_ts: `${seconds}.${String(number).padStart(6, '0')}`, type: 'button' }],
  };
  return new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
}

/** So many people open the form that sets up summaries, which shows the user groups to choose from. */
export function signedPickerOpenings(people: number): LoadRequest[] {
  const action = { action_id: 'set_up_subscription', block_id: 'set-up', value: '' };
  return Array.from({ length: people }, (_, person) =>
    signed(pressed({ userId: userId(person), channelId: 'C0BENCH0001' }, action, 900 + person, [])),
  );
}

/** A press for each of these, of a Watch button under a message of one visitor, signed now. */
export function signedPresses(grants: readonly WatchRequest[]): LoadRequest[] {
  return grants.map((link, number) => signed(pressOf(link, number, 1)));
}

/** Presses under a message that makes the request 31 KB, signed now. */
export function signedLargePresses(grants: readonly WatchRequest[]): LoadRequest[] {
  let rows = 1;
  while (grants[0] !== undefined && pressOf(grants[0], 0, rows).length < PRESS_BYTES) rows += 1;
  return grants.map((link, number) => signed(pressOf(link, number, rows)));
}
