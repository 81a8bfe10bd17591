import { describe, expect, it, onTestFinished } from 'vitest';
import { afterTime } from '../../../sandbox/time-limit.ts';
import { alex, guest, json, sales, sam, startBoth, support, type Respond } from './tiny-app.ts';

const silent = 'because the app did not respond.';
const find = { as: alex, channel: support, text: '/cobrowse find jane@acme.com' };

describe('a slash command', () => {
  it('is over after three seconds without an acknowledgement, as the person is told', async () => {
    const { slack, app, last } = await startBoth();
    app.acknowledgeWith(() => {});
    const passed: number[] = [];
    for (const ms of [2_000, 6_000]) onTestFinished(afterTime(ms, () => passed.push(ms)));
    await slack.command(find);
    expect(passed).toEqual([2_000]);
    expect(last()?.text).toBe('/cobrowse failed with the error "operation_timeout"');
  });

  it.each<[string, Respond, string]>([
    ['fails', (response) => response.writeHead(500).end(), silent],
    ['answers 204', (response) => response.writeHead(204).end(), silent],
    ['redirects', (response) => response.writeHead(302, { location: '/' }).end(), silent],
    ['answers bad blocks', json({ text: 'x', blocks: [{}] }), 'with the error "invalid_blocks"'],
  ])('tells the person alone when the app %s', async (_name, answer, why) => {
    const { slack, app, last, seen } = await startBoth();
    app.acknowledgeWith(answer);
    await slack.command(find);
    expect(last()).toMatchObject({ text: `/cobrowse failed ${why}`, ephemeral: true, from_slack: true });
    expect(seen(sam)).not.toContain('cobrowse failed');
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
});

it('a message shortcut is not offered on an ephemeral message, nor if the manifest has none of that name', async () => {
  const { slack, app, whisper, post } = await startBoth();
  const chosen = { as: alex, channel: support, callback_id: 'find_visitor' };
  const onWhisper = { ...chosen, message_ts: await whisper('Psst') };
  expect(await slack.shortcut(onWhisper)).toMatchObject({ ok: false });
  const other = { ...chosen, message_ts: await post('Hello'), callback_id: 'no' };
  expect(await slack.shortcut(other)).toMatchObject({ ok: false });
  expect(app.received).toEqual([]);
});
