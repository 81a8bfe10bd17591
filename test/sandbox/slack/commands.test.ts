import { describe, expect, it, onTestFinished } from 'vitest';
import { afterTime } from '../../../sandbox/time-limit.ts';
import { alex, guest, json, sales, sam, startBoth, support } from './tiny-app.ts';
import type { Respond } from './tiny-app.ts';

const silent = 'because the app did not respond.';
const find = { as: alex, channel: support, text: '/cobrowse find jane@acme.com' };

describe('a slash command', () => {
  it('arrives with every field', async () => {
    const { slack, app } = await startBoth();
    await slack.command(find);
    const { headers, payload } = app.last();
    expect(headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect(payload).toMatchObject({
      command: '/cobrowse',
      text: 'find <mailto:jane@acme.com|jane@acme.com>',
      user_id: alex,
      user_name: 'alex',
      channel_id: support,
      channel_name: 'support',
      team_id: 'T0ACME00000',
      team_domain: 'acme',
      api_app_id: 'A0COBROWSE',
      is_enterprise_install: 'false',
      response_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/response\//u),
      trigger_id: expect.stringMatching(/./u),
    });
  });

  it('shows the acknowledgement to the person alone', async () => {
    const { slack, app, last, seen } = await startBoth();
    app.acknowledgeWith((response) => response.end('Looking.'));
    await slack.command(find);
    expect(last()).toMatchObject({ text: 'Looking.', ephemeral: true });
    expect(seen(sam)).not.toContain('Looking.');
    expect(slack.calls).toEqual([{ method: 'ack', args: 'Looking.' }]);
  });

  it('is over after three seconds without an acknowledgement, as the person is told', async () => {
    const { slack, app, last } = await startBoth();
    app.acknowledgeWith(() => {});
    const passed: number[] = [];
    for (const ms of [2_000, 6_000]) onTestFinished(afterTime(ms, () => passed.push(ms)));
    await slack.command(find);
    expect(passed).toEqual([2_000]);
    const text = '/cobrowse failed with the error "operation_timeout"';
    expect(last()).toMatchObject({ text, ephemeral: true, from_slack: true });
  });

  it.each<[string, Respond, string]>([
    ['fails', (response) => response.writeHead(500).end(), silent],
    ['mismatches 204', (response) => response.writeHead(204).end(), silent],
    ['redirects', (response) => response.writeHead(302, { location: '/' }).end(), silent],
    [
      'mismatches with bad blocks',
      json({ text: 'x', blocks: [{ type: 'marquee' }] }),
      'with the error "invalid_blocks"',
    ],
  ])('tells the person when the app %s', async (_name, answer, why) => {
    const { slack, app, last } = await startBoth();
    app.acknowledgeWith(answer);
    await slack.command(find);
    expect(last()).toMatchObject({ text: `/cobrowse failed ${why}`, from_slack: true });
    expect(app.received).toHaveLength(1);
  });

  it('works where the app is no member, and not where the person is none', async () => {
    const { slack, app, payload } = await startBoth();
    expect(await slack.command({ ...find, channel: sales })).toEqual({ ok: true });
    expect(payload()['channel_name']).toBe('sales');
    expect(await slack.command({ ...find, as: guest, channel: sales })).toMatchObject({ ok: false });
    await slack.command({ ...find, channel: 'D0ALEX00001' });
    expect(payload()['channel_name']).toBe('directmessage');
    expect(app.received).toHaveLength(2);
  });

  it('unknown to the app is answered by Slackbot', async () => {
    const { slack, app, last } = await startBoth();
    await slack.command({ ...find, text: '/browse find jane' });
    expect(last()?.text).toMatch(/^\/browse is not a valid command\./u);
    expect(app.received).toEqual([]);
  });
});

it('an ordinary message is stored in escaped form and goes to no app', async () => {
  const { slack, app, last } = await startBoth();
  await slack.message({ as: sam, channel: support, text: 'Ask jane@acme.com <now>' });
  const text = 'Ask <mailto:jane@acme.com|jane@acme.com> &lt;now&gt;';
  expect(last()).toMatchObject({ user: sam, text, ephemeral: false });
  expect(app.received).toEqual([]);
});

describe('a message shortcut', () => {
  it('carries the message and where it stands', async () => {
    const { slack, payload } = await startBoth();
    const message = slack.snapshot(alex).messages.find(({ text }) => text.includes('jane@acme.com'));
    const message_ts = message?.ts ?? '';
    await slack.shortcut({ as: alex, channel: support, message_ts, callback_id: 'find_visitor' });
    expect(payload()).toMatchObject({
      type: 'message_action',
      callback_id: 'find_visitor',
      message_ts,
      message: { ts: message_ts, text: message?.text, user: 'U0HELPDESK', bot_id: 'B0HELPDESK' },
      channel: { id: support, name: 'support' },
      user: { id: alex, name: 'alex' },
      response_url: expect.any(String),
      trigger_id: expect.any(String),
    });
  });

  it('is not offered on an ephemeral message, nor if the manifest has none of that name', async () => {
    const { slack, app, whisper, post } = await startBoth();
    const chosen = { as: alex, channel: support, callback_id: 'find_visitor' };
    const onWhisper = { ...chosen, message_ts: await whisper('Psst') };
    expect(await slack.shortcut(onWhisper)).toMatchObject({ ok: false });
    const other = { ...chosen, message_ts: await post('Hello'), callback_id: 'no' };
    expect(await slack.shortcut(other)).toMatchObject({ ok: false });
    expect(app.received).toEqual([]);
  });
});
