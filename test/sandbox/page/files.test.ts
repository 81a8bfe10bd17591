import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';

import { describe, expect, it } from 'vitest';

import { hasChromium, useChromium } from '../../support/chromium.ts';
import { fullManifest } from '../slack/full-manifest.ts';
import { shareStage } from './stage.ts';

const chart = await readFile(new URL('../../../sandbox/page/screenshot.png', import.meta.url));
const image = (source: object) => ({ type: 'image', alt_text: 'Sessions a day', ...source });

describe.skipIf(!hasChromium)('pictures and files on the sandbox page', () => {
  const browser = useChromium();
  const stage = shareStage(browser, { manifest: fullManifest });

  const upload = async (filename: string, content: Buffer, share: object = {}) => {
    const announced = { filename, length: content.length };
    const { upload_url, file_id: id } = await stage().call('files.getUploadURLExternal', announced);
    await fetch(upload_url, { method: 'POST', body: new Uint8Array(content) });
    await stage().call('files.completeUploadExternal', { files: [{ id, title: 'All sessions' }], ...share });
    return id;
  };
  const post = (block: object) =>
    stage().call('chat.postMessage', { channel: stage().channel, text: 'A chart', blocks: [block] });
  const picture = () => stage().page.getByRole('img', { name: 'Sessions a day' });
  const width = () => stage().page.evaluate<number>("document.querySelector('.picture')?.naturalWidth ?? 0");

  it('show a picture at an address of this machine', async () => {
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'image/png' }).end(chart);
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    await post(image({ image_url: `http://127.0.0.1:${port}/chart.png` }));
    await expect.poll(width).toBeGreaterThan(100);
    server.closeAllConnections();
    server.close();
  });

  it('show the alt text of a picture from elsewhere, without requesting it', async () => {
    await post(image({ image_url: 'https://charts.example/chart.png' }));
    await picture().waitFor();
    expect(await stage().page.locator('img').count()).toBe(0);
    expect(await picture().textContent()).toBe('Sessions a day');
  });

  it('offer a shared file for download', async () => {
    await upload('sessions.jsonl', Buffer.from('{"id":1}\n'), { channel_id: stage().channel });
    const link = stage().page.getByRole('link', { name: 'All sessions' });
    expect(await link.textContent()).toMatch(/sessions\.jsonl, 9 bytes/u);
    const downloading = stage().page.waitForEvent('download');
    await link.click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe('sessions.jsonl');
    expect(await readFile(await download.path(), 'utf8')).toBe('{"id":1}\n');
  });
});
