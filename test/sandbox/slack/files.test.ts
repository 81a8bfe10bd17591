import { WebClient } from '@slack/web-api';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { fullManifest } from './full-manifest.ts';
import { alex, botToken, sales, sam, startBoth, support } from './tiny-app.ts';

const lines = '{"id":1}\n{"id":2}\n';
const announcement = z.object({ upload_url: z.string(), file_id: z.string() });

const start = async () => {
  const both = await startBoth({ manifest: fullManifest });
  const announce = async (filename: string, length: number, more: object = {}) =>
    announcement.parse(await both.call('files.getUploadURLExternal', { filename, length, ...more }));
  const upload = async (filename: string, content: string | Buffer, more: object = {}) => {
    const { upload_url, file_id } = await announce(filename, Buffer.byteLength(content), more);
    const uploaded = await fetch(upload_url, { method: 'POST', body: content });
    expect([uploaded.status, await uploaded.text()]).toEqual([200, `OK - ${Buffer.byteLength(content)}`]);
    return file_id;
  };
  const complete = (id: string, more: object = {}) =>
    both.call('files.completeUploadExternal', { files: [{ id, title: 'All sessions' }], ...more });
  const download = (id: string, as: string) => fetch(`${both.slack.url}/page-api/file/${id}?as=${as}`);
  return { ...both, announce, upload, complete, download };
};

describe('a file the app uploads', () => {
  it('is shared in a channel and can be downloaded there', async () => {
    await using both = await start();
    const id = await both.upload('sessions.jsonl', lines);
    expect(await both.complete(id, { channel_id: support, initial_comment: 'As asked.' })).toMatchObject({
      ok: true,
      files: [{ id, title: 'All sessions', name: 'sessions.jsonl', mimetype: 'text/plain', size: 18 }],
    });
    expect(both.slack.snapshot(sam).messages.at(-1)).toMatchObject({
      channel: support,
      text: 'As asked.',
      files: [{ id, name: 'sessions.jsonl', title: 'All sessions', size: 18, is_picture: false }],
    });
    const file = await both.download(id, sam);
    expect(await file.text()).toBe(lines);
    expect(file.headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''sessions.jsonl");
    expect(file.headers.get('content-security-policy')).toContain('sandbox');
  });

  it('may come through Slack’s own client', async () => {
    await using both = await start();
    const client = new WebClient(botToken, { slackApiUrl: both.slack.apiUrl });
    await client.filesUploadV2({
      channel_id: support,
      filename: 'sessions.jsonl',
      content: lines,
      initial_comment: 'As asked.',
    });
    const message = both.slack.snapshot(alex).messages.at(-1);
    expect(message).toMatchObject({ text: 'As asked.', files: [{ name: 'sessions.jsonl' }] });
    expect(await (await both.download(message?.files[0]?.id ?? '', alex)).text()).toBe(lines);
  });

  it.each([
    ['a person in place of a channel', { channel_id: alex }, 'invalid_arguments'],
    ['a channel the app is not in', { channel_id: sales }, 'not_in_channel'],
    ['a channel that is not there', { channel_id: 'C0NOWHERE00' }, 'channel_not_found'],
    ['a thread that is not there', { channel_id: support, thread_ts: '1.000001' }, 'thread_not_found'],
  ])('cannot be shared with %s', async (_name, args, error) => {
    await using both = await start();
    const id = await both.upload('sessions.jsonl', lines);
    expect(await both.complete(id, args)).toMatchObject({ ok: false, error });
  });

  it('must be uploaded, at the size announced, before it is shared', async () => {
    await using both = await start();
    const { upload_url, file_id } = await both.announce('sessions.jsonl', 17);
    expect((await fetch(upload_url, { method: 'POST', body: lines })).status).toBe(400);
    expect(await both.complete(file_id)).toMatchObject({ error: 'file_not_found' });
    expect(await both.complete('F404')).toMatchObject({ error: 'file_not_found' });
    const nowhere = await fetch(`${both.slack.url}/upload/x`, { method: 'POST', body: lines });
    expect(nowhere.status).toBe(400);
  });
});

const image = (id: string) => ({ type: 'image', slack_file: { id }, alt_text: 'Sessions a day' });

const post = (id: string) => ({ channel: support, text: 'Chart', blocks: [image(id)] });

describe('a picture among the files', () => {
  it('can be shown in a message by its id, without being shared', async () => {
    await using both = await start();
    const id = await both.upload('chart.png', Buffer.from([0x89, 0x50]), { alt_txt: 'Sessions a day' });
    expect(await both.complete(id)).toMatchObject({ ok: true, files: [{ alt_txt: 'Sessions a day' }] });
    expect((await both.download(id, alex)).status).toBe(404);
    expect(await both.call('chat.postMessage', post(id))).toMatchObject({ ok: true });
    const file = await both.download(id, alex);
    expect(file.headers.get('content-type')).toBe('image/png');
    expect(file.headers.get('content-disposition')).toBe('inline');
  });

  it('must be there and be a picture', async () => {
    await using both = await start();
    const pending = await both.upload('chart.png', Buffer.from([0x89, 0x50]));
    const text = await both.upload('sessions.jsonl', lines);
    await both.complete(text);
    for (const id of [pending, text, 'F404']) {
      expect(await both.call('chat.postMessage', post(id))).toMatchObject({ error: 'invalid_blocks' });
    }
    const view = { type: 'home', blocks: [image('F404')] };
    expect(await both.call('views.publish', { user_id: alex, view })).toMatchObject({
      error: 'invalid_arguments',
      response_metadata: { messages: ['[ERROR] invalid slack file: F404 [json-pointer:/blocks]'] },
    });
  });
});
