import { describe, expect, it } from 'vitest';

import { alex, button, sales, sam, section, startBoth, support } from './tiny-app.ts';

const post = async (url: string | undefined, body: unknown) => {
  const response = await fetch(url ?? '', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const answer: unknown = await response.json();
  return { status: response.status, answer };
};

const startWithCommand = async (options: Parameters<typeof startBoth>[0] = {}, channel = support) => {
  const both = await startBoth(options);
  await both.slack.command({ as: alex, channel, text: '/cobrowse find jane' });
  return { ...both, responseUrl: both.app.last().form['response_url'] };
};

/** Posts a message with a button, or whispers it, and has Alex press it. */
const startWithPress = async (method: 'chat.postMessage' | 'chat.postEphemeral') => {
  const both = await startBoth();
  const blocks = [section('Jane', button('watch'))];
  await both.call(method, { channel: support, user: alex, text: 'Jane', blocks });
  const ts = both.slack.snapshot(alex).messages.at(-1)?.ts ?? '';
  const source = { type: 'message', channel: support, ts } as const;
  await both.slack.press({ as: alex, source, block_id: 'block-Jane', action_id: 'watch' });
  return { ...both, ts, responseUrl: String(both.app.last().payload['response_url']) };
};

describe('a response_url', () => {
  it('answers the person alone, also where the app is no member', async () => {
    await using both = await startWithCommand({}, sales);
    expect(await post(both.responseUrl, { text: 'Found Jane.' })).toEqual({
      status: 200,
      answer: { ok: true },
    });
    expect(both.slack.snapshot(alex).messages.at(-1)).toMatchObject({
      channel: sales,
      text: 'Found Jane.',
      ephemeral: true,
    });
    expect(JSON.stringify(both.slack.snapshot(sam))).not.toContain('Found Jane.');
    expect(both.slack.calls.at(-1)).toEqual({ method: 'response_url', args: { text: 'Found Jane.' } });
  });

  it('works five times', async () => {
    await using both = await startWithCommand();
    for (const text of ['1', '2', '3', '4', '5']) {
      expect(await post(both.responseUrl, { text })).toMatchObject({ status: 200 });
    }
    expect(await post(both.responseUrl, { text: '6' })).toEqual({
      status: 404,
      answer: { ok: false, error: 'used_url' },
    });
    expect(both.slack.snapshot(alex).messages.at(-1)?.text).toBe('5');
  });

  it('works for thirty minutes', async () => {
    let minutes = 0;
    await using both = await startWithCommand({ now: () => 1_700_000_000_000 + minutes * 60_000 });
    minutes = 30;
    expect(await post(both.responseUrl, { text: 'Just in time.' })).toMatchObject({ status: 200 });
    minutes = 31;
    expect(await post(both.responseUrl, { text: 'Late.' })).toEqual({
      status: 404,
      answer: { ok: false, error: 'expired_url' },
    });
  });

  it('of a press replaces or deletes the message it came from', async () => {
    await using both = await startWithPress('chat.postMessage');
    await post(both.responseUrl, { text: 'Watched.', replace_original: true });
    expect(both.slack.snapshot(sam).messages.at(-1)).toMatchObject({
      ts: both.ts,
      text: 'Watched.',
      blocks: [],
      edited: true,
    });
    await post(both.responseUrl, { delete_original: true });
    expect(both.slack.snapshot(sam).messages.some((message) => message.ts === both.ts)).toBe(false);
  });

  it('cannot make an ephemeral message public by replacing it', async () => {
    await using both = await startWithPress('chat.postEphemeral');
    await post(both.responseUrl, { text: 'Watched.', replace_original: true, response_type: 'in_channel' });
    expect(both.slack.snapshot(alex).messages.at(-1)).toMatchObject({
      ts: both.ts,
      text: 'Watched.',
      ephemeral: true,
      edited: false,
    });
    expect(JSON.stringify(both.slack.snapshot(sam))).not.toContain('Watched.');
  });

  it('brings no ephemeral message back that a reload took away', async () => {
    await using both = await startWithPress('chat.postEphemeral');
    both.slack.reload({ as: alex });
    expect(await post(both.responseUrl, { text: 'Watched.', replace_original: true })).toMatchObject({
      status: 200,
    });
    expect(JSON.stringify(both.slack.snapshot(alex))).not.toContain('Watched.');
  });
});
