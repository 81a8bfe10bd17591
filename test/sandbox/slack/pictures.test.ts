import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';

import { describe, expect, it } from 'vitest';

import { fullManifest } from './full-manifest.ts';
import { alex, sam, startBoth, support } from './tiny-app.ts';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const image = (image_url: string) => ({ type: 'image', image_url, alt_text: 'A chart' });

type Answer = (response: ServerResponse) => void;
const withPicture: Answer = (response) => response.writeHead(200, { 'content-type': 'image/png' }).end(png);

/** A Slack, and beside it a server of pictures. */
const startWithPictures = async (answer: Answer = withPicture) => {
  const both = await startBoth({ manifest: fullManifest });
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    asked.push(request);
    answer(response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const post = (url: string, channel: string = support) =>
    both.call('chat.postMessage', { channel, text: 'A chart', blocks: [image(url)] });
  return {
    ...both,
    asked,
    post,
    url: `http://127.0.0.1:${port}/chart.png`,
    show: (url: string, as = alex) =>
      fetch(`${both.slack.url}/page-api/image?${new URLSearchParams({ as, url }).toString()}`),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
      await both[Symbol.asyncDispose]();
    },
  };
};

describe('a picture in a message', () => {
  it('is fetched by Slack itself, once', async () => {
    await using both = await startWithPictures();
    await both.post(both.url);
    const shown = await both.show(both.url);
    expect(shown.headers.get('content-type')).toBe('image/png');
    expect(shown.headers.get('x-content-type-options')).toBe('nosniff');
    expect(Buffer.from(await shown.arrayBuffer())).toEqual(png);
    expect((await both.show(both.url, sam)).status).toBe(200);
    expect(both.asked.map(({ headers }) => headers['user-agent'])).toEqual([
      'Slack-ImgProxy (+https://api.slack.com/robots)',
    ]);
  });

  it.each(['0.0.0.0', '127.0.0.1.example'])(
    'is fetched from no address but loopback: not %s',
    async (host) => {
      await using both = await startWithPictures();
      const far = both.url.replace('127.0.0.1', host);
      await both.post(far);
      expect((await both.show(far)).status).toBe(404);
      expect(both.asked).toEqual([]);
    },
  );

  it.each<[string, Answer]>([
    ['a page', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>')],
    [
      'a drawing with scripts',
      (response) => response.writeHead(200, { 'content-type': 'image/svg+xml' }).end('<svg/>'),
    ],
    ['a failure', (response) => response.writeHead(500, { 'content-type': 'image/png' }).end(png)],
    ['a redirect', (response) => response.writeHead(302, { location: '/other.png' }).end()],
    ['a cut line', (response) => response.destroy()],
    [
      'more than 5 MiB',
      (response) =>
        response.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.alloc(5 * 1024 * 1024 + 1)),
    ],
  ])('is not shown where there is %s', async (_name, answer) => {
    await using both = await startWithPictures(answer);
    await both.post(both.url);
    expect((await both.show(both.url)).status).toBe(404);
    await both.show(both.url);
    expect(both.asked).toHaveLength(2);
  });
});
