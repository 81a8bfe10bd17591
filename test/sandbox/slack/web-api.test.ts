import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import manifest from '../../../manifest.json' with { type: 'json' };
import { startSlack, type SlackOptions } from '../../../sandbox/slack/slack.ts';
import { ALEX as alex, SALES as sales, SUPPORT as support } from '../../support/person.ts';

const guest = 'U0GUEST0004';
const botToken = 'xoxb-the-bot';
const appToken = 'xapp-the-app';

const home = (count: number) => ({ type: 'home', blocks: Array.from({ length: count }, () => divider) });
const divider = { type: 'divider' };
const title = { type: 'plain_text', text: 'A modal' };
const published = { user_id: alex, view: home(1) };
const said = { channel: support, text: 'x' };

const Answer = z.looseObject({ ok: z.boolean(), ts: z.string().default('') });

/** A stand-in Slack with the app's own manifest, until the test is over, and what an app asks it. */
async function startAlone(options: Partial<SlackOptions> = {}) {
  const slack = await startSlack({ signingSecret: 'a-signing-secret', botToken, manifest, ...options });
  onTestFinished(() => slack.close());
  async function call(method: string, args: object, token = botToken) {
    const headers = {
      'content-type': 'application/json',
      ...(token && { authorization: `Bearer ${token}` }),
    };
    const init = { method: 'POST', headers, body: JSON.stringify(args) };
    return Answer.parse(await (await fetch(`${slack.apiUrl}${method}`, init)).json());
  }
  return { slack, call };
}

describe('the Web API', () => {
  it('checks the token', async () => {
    const { call } = await startAlone({ appToken });
    for (const [token, error] of [
      ['', 'not_authed'],
      ['xoxb-other', 'invalid_auth'],
      [appToken, 'not_allowed_token_type'],
    ])
      expect(await call('auth.test', {}, token)).toMatchObject({ ok: false, error });
  });

  it.each<[string, object, string | object]>([
    ['apps.connections.open', {}, 'not_allowed_token_type'],
    ['chat.postMessage', { channel: 'C404', text: 'x' }, 'channel_not_found'],
    ['chat.postMessage', { channel: sales, text: 'x' }, 'not_in_channel'],
    ['chat.postMessage', { channel: support, text: 'x'.repeat(40_001) }, 'msg_too_long'],
    ['chat.postMessage', { ...said, blocks: [{}] }, 'invalid_blocks'],
    ['chat.postMessage', { ...said, thread_ts: '1.000001' }, 'thread_not_found'],
    ['chat.postMessage', { ...said, metadata: { event_type: 'x' } }, 'invalid_metadata_format'],
    ['chat.postEphemeral', { channel: 'C0RANDOM003', user: guest, text: 'x' }, 'user_not_in_channel'],
    ['conversations.history', { channel: sales }, 'not_in_channel'],
    [
      'views.publish',
      { ...published, view: home(101) },
      {
        error: 'invalid_arguments',
        response_metadata: {
          messages: ['[ERROR] no more than 100 items allowed [json-pointer:/blocks]'],
        },
      },
    ],
    ['views.publish', { ...published, view: { ...home(1), type: 'modal', title } }, 'invalid_arguments'],
  ])('refuses %s of %o', async (method, args, error) => {
    const { slack, call } = await startAlone({ appToken });
    const refused = { ok: false, ...(typeof error === 'string' ? { error } : error) };
    expect(await call(method, args)).toMatchObject(refused);
    expect(slack.calls.at(-1)?.method).toBe(method);
  });

  it.each([
    ['chat.postMessage', said, 'chat:write'],
    ['usergroups.users.list', { usergroup: 'S0LEADS0001' }, 'usergroups:read'],
    ['conversations.history', { channel: 'D0ALEX00001' }, 'im:history'],
    ['conversations.members', { channel: support }, 'channels:read'],
  ])('refuses %s of %o without its scope, and names it', async (method, args, needed) => {
    const bot = ['groups:history', 'groups:read', 'users:read'];
    const { call } = await startAlone({ manifest: { ...manifest, oauth_config: { scopes: { bot } } } });
    const refused = { ok: false, error: 'missing_scope', needed, provided: bot.join(',') };
    expect(await call(method, args)).toMatchObject(refused);
    expect(JSON.stringify(await call('users.info', { user: alex }))).not.toContain('alex@acme.com');
  });

  it('changes the app’s own messages alone, and no whispered ones', async () => {
    const { slack, call } = await startAlone();
    const firstIn = (channel: string) => ({
      channel,
      ts: slack.snapshot(alex).messages.find((message) => message.channel === channel)?.ts,
    });
    const theirs = firstIn(support);
    const own = { channel: support, ts: (await call('chat.postMessage', said)).ts };
    await call('chat.postEphemeral', { ...said, user: alex });
    const whispered = { channel: support, ts: slack.snapshot(alex).messages.at(-1)?.ts };
    for (const [method, args, error] of [
      ['chat.update', { ...own, text: 'x'.repeat(4001) }, 'msg_too_long'],
      ['chat.update', { ...theirs, text: 'x' }, 'cant_update_message'],
      ['chat.update', { ...whispered, text: 'x' }, 'message_not_found'],
      ['chat.getPermalink', { channel: support, message_ts: whispered.ts }, 'message_not_found'],
      ['chat.getPermalink', { channel: sales, message_ts: firstIn(sales).ts }, 'channel_not_found'],
    ] as const)
      expect([error, await call(method, args)]).toMatchObject([error, { ok: false, error }]);
  });
});
