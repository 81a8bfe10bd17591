import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { startLocalService } from '../../cobrowse/local-service.ts';
import { alex, sales, sam, startBoth } from './tiny-app.ts';

const lines = '{"id":1}\n{"id":2}\n';
const png = Buffer.from('a picture’s bytes');
const announcement = z.object({ upload_url: z.string(), file_id: z.string() });

async function start() {
  const both = await startBoth();
  const announce = async (length: number) =>
    announcement.parse(await both.call('files.getUploadURLExternal', { filename: 'sessions.jsonl', length }));
  return {
    ...both,
    announce,
    upload: async (content: string) => {
      const { upload_url, file_id } = await announce(content.length);
      expect((await fetch(upload_url, { method: 'POST', body: content })).status).toBe(200);
      return file_id;
    },
    complete: (id: string, more: object = {}) =>
      both.call('files.completeUploadExternal', { files: [{ id, title: 'All sessions' }], ...more }),
  };
}

describe('a file the app uploads', () => {
  it.each([
    ['a person in place of a channel', { channel_id: alex }, 'invalid_arguments'],
    ['a channel the app is not in', { channel_id: sales }, 'not_in_channel'],
  ])('cannot be shared with %s', async (_name, args, error) => {
    const { upload, complete } = await start();
    expect(await complete(await upload(lines), args)).toMatchObject({ ok: false, error });
  });

  it('must be uploaded, at the size announced, before it is shared', async () => {
    const { slack, announce, complete } = await start();
    const { upload_url, file_id } = await announce(17);
    for (const url of [upload_url, `${slack.url}/upload/x`])
      expect((await fetch(url, { method: 'POST', body: lines })).status).toBe(400);
    for (const id of [file_id, 'F404']) expect(await complete(id)).toMatchObject({ error: 'file_not_found' });
  });
});

type Answer = (response: ServerResponse) => unknown;
const pictureOf =
  (type: string, body: string | Buffer): Answer =>
  (response) =>
    response.writeHead(200, { 'content-type': type }).end(body);

/** A server of one picture, and who shows it. */
async function startWithPicture(answer: Answer) {
  const both = await startBoth();
  const asked: IncomingMessage[] = [];
  const server = await startLocalService((request, response) => {
    asked.push(request);
    answer(response);
  });
  onTestFinished(() => server.close());
  const show = (url: string, as = alex) =>
    fetch(`${both.slack.url}/page-api/image?${new URLSearchParams({ as, url }).toString()}`);
  const post = (image_url: string) =>
    both.post('A chart', { blocks: [{ type: 'image', alt_text: 'Sessions a day', image_url }] });
  return { asked, show, post, url: `${server.url}/chart.png` };
}

describe('a picture at an address', () => {
  it('is fetched by Slack itself, once, where it is in a message', async () => {
    const { asked, show, post, url } = await startWithPicture(pictureOf('image/png', png));
    expect((await show(url)).status).toBe(404);
    await post(url);
    const shown = await show(url);
    expect(shown.headers.get('content-type')).toBe('image/png');
    expect(shown.headers.get('x-content-type-options')).toBe('nosniff');
    expect(Buffer.from(await shown.arrayBuffer())).toEqual(png);
    expect((await show(url, sam)).status).toBe(200);
    const agents = asked.map(({ headers }) => headers['user-agent']);
    expect(agents).toEqual(['Slack-ImgProxy (+https://api.slack.com/robots)']);
  });

  it.each(['0.0.0.0', '127.0.0.1.example'])('is fetched from loopback alone: not %s', async (host) => {
    const { asked, show, post, url } = await startWithPicture(pictureOf('image/png', png));
    const far = url.replace('127.0.0.1', host);
    await post(far);
    expect((await show(far)).status).toBe(404);
    expect(asked).toEqual([]);
  });

  it.each<[string, Answer]>([
    ['a page', pictureOf('text/html', '<p>')],
    ['a drawing with scripts', pictureOf('image/svg+xml', '<svg/>')],
    ['a redirect', (response) => response.writeHead(302, { location: '/other.png' }).end()],
    ['more than 5 MiB', pictureOf('image/png', Buffer.alloc(5 * 1024 * 1024 + 1))],
  ])('is not shown where there is %s', async (_name, answer) => {
    const { asked, show, post, url } = await startWithPicture(answer);
    await post(url);
    expect((await show(url)).status).toBe(404);
    await show(url);
    expect(asked).toHaveLength(2);
  });
});
