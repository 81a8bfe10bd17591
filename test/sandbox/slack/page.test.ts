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
  it('are the page’s own, which loads nothing from another site', async () => {
    const { url } = await startWithPage();
    const page = await fetch(`${url}/`);
    expect(await page.text()).toContain('<title>Slack</title>');
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'self'");
    expect(page.headers.get('cache-control')).toBe('no-store');
  });

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

it('POST /page-api/reload puts its user in the browser’s time zone, if there is such a zone', async () => {
  const { slack, call, app } = await startBoth();
  const zoneOf = async () => JSON.stringify(await call('users.info', { user: alex }));
  const reload = (tz: string) =>
    fetch(`${slack.url}/page-api/reload`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ as: alex, tz }),
    });
  for (const tz of ['America/Los_Angeles', 'America/Los_Angeles', 'Moon/Tycho']) {
    expect(await (await reload(tz)).json()).toEqual({ ok: true });
    expect(await zoneOf()).toContain('"tz":"America/Los_Angeles"');
  }
  const changes = () => app.received.filter((one) => JSON.stringify(one).includes('user_change'));
  await expect.poll(changes).toHaveLength(1);
});

it('POST /page-api cannot be driven by another site', async () => {
  const { url } = await startWithPage();
  // Without a preflight request, which isn't answered, another site's page sends words alone.
  const words = { method: 'POST', body: JSON.stringify({ as: alex }) };
  expect((await fetch(`${url}/page-api/reload`, words)).status).toBe(415);
  expect(await rawStatus(url, '/', 'slack.attacker.example')).toBe(403);
  expect(await rawStatus(url, '/', 'localhost:80')).toBe(200);
});
