import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { alex, startBoth } from './tiny-app.ts';

/** A status alone, for a path or a Host header that fetch would put right. */
const rawStatus = (url: string, path: string, host?: string) =>
  new Promise<number | undefined>((resolve, reject) => {
    const sent = request(url, { path, headers: host === undefined ? {} : { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on('error', reject).end();
  });

async function startWithPage() {
  const folder = await mkdtemp(join(tmpdir(), 'page-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'index.html'), '<!doctype html><title>Slack</title>');
  await symlink(join(process.cwd(), 'package.json'), join(folder, 'link.json'));
  const { slack } = await startBoth({
    pageFolder: folder,
    vendorFiles: { '/page/vendor/zod/': pathToFileURL(`${process.cwd()}/node_modules/zod/`) },
  });
  return slack;
}

describe("the page's files", () => {
  it('are all there is', async () => {
    const { url } = await startWithPage();
    for (const path of [
      '/page/../../../../etc/passwd',
      '/page/%2e%2e/%2e%2e/package.json',
      '/page/..%2f..%2fpackage.json',
      '/page/vendor/zod/../../package.json',
      '/page/link.json',
      '/page/',
    ])
      expect([path, await rawStatus(url, path)]).toEqual([path, 404]);
  });
});

it('POST /page-api cannot be driven by another site', async () => {
  const { url } = await startWithPage();
  // Without a preflight request, which isn't answered, another site's page sends words alone.
  const words = { method: 'POST', body: JSON.stringify({ as: alex }) };
  expect((await fetch(`${url}/page-api/reload`, words)).status).toBe(415);
  expect(await rawStatus(url, '/', 'slack.attacker.example')).toBe(403);
  expect(await rawStatus(url, '/', 'localhost:80')).toBe(200);
});
