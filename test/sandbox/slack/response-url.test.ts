import { describe, expect, it } from 'vitest';
import { alex, button, postJson, row, sales, sam, startBoth, support } from './tiny-app.ts';

const done = { status: 200, answer: { ok: true } };
const refused = (error: string) => ({ status: 404, answer: { ok: false, error } });

/** What answers through the response_url of what the app received last. */
const answering = ({ payload }: Awaited<ReturnType<typeof startBoth>>) => {
  const url = String(payload()['response_url']);
  return (body: object) => postJson(url, body);
};

/** Alex types a command where the app is no member. */
async function startWithCommand(options: Parameters<typeof startBoth>[0] = {}) {
  const both = await startBoth(options);
  await both.slack.command({ as: alex, channel: sales, text: '/cobrowse find jane' });
  return { ...both, answer: answering(both) };
}

/** Posts a message with a button, or whispers it, and has Alex press it. */
async function startWithPress(how: 'post' | 'whisper') {
  const both = await startBoth();
  const ts = await both[how]('Jane', { blocks: [row(button('watch'))] });
  const source = { type: 'message', channel: support, ts } as const;
  await both.slack.press({ as: alex, source, block_id: 'row', action_id: 'watch' });
  return { ...both, ts, answer: answering(both) };
}

describe('a response_url', () => {
  it('works five times', async () => {
    const { answer } = await startWithCommand();
    for (const text of ['1', '2', '3', '4', '5']) expect(await answer({ text })).toEqual(done);
    expect(await answer({ text: '6' })).toEqual(refused('used_url'));
  });

  it('works for thirty minutes', async () => {
    let minutes = 0;
    const { answer } = await startWithCommand({ now: () => 1_700_000_000_000 + minutes * 60_000 });
    minutes = 30;
    expect(await answer({ text: 'Just in time.' })).toEqual(done);
    minutes = 31;
    expect(await answer({ text: 'Late.' })).toEqual(refused('expired_url'));
  });

  it('cannot make an ephemeral message public by replacing it', async () => {
    const { ts, answer, last, seen } = await startWithPress('whisper');
    await answer({ text: 'Watched.', replace_original: true, response_type: 'in_channel' });
    expect(last()).toMatchObject({ ts, text: 'Watched.', ephemeral: true, edited: false });
    expect(seen(sam)).not.toContain('Watched.');
  });
});
