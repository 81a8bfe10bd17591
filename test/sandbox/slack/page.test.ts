import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { describe, expect, it } from 'vitest';

import { alex, startBoth } from './tiny-app.ts';

/** A status alone, for a path or a Host header that fetch would put right. */
const rawStatus = async (url: string, path: string, host?: string): Promise<number | undefined> => {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const headers = host === undefined ? {} : { host };
  const sent = request(url, { path, headers }, (response) => {
    response.resume();
    resolve(response.statusCode);
  });
  sent.on('error', reject).end();
  return promise;
};

const post = async (url: string, body: unknown, contentType = 'application/json') => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': contentType },
    body: JSON.stringify(body),
  });
  const answer: unknown = await response.json();
  return { status: response.status, answer };
};

const startWithPage = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'page-'));
  await writeFile(join(folder, 'index.html'), '<!doctype html><title>Slack</title>');
  await writeFile(join(folder, 'app.js'), 'export {};');
  await symlink('/etc/passwd', join(folder, 'link.html'));
  const both = await startBoth({
    pageFolder: folder,
    vendorFiles: { '/page/vendor/zod/': pathToFileURL(`${process.cwd()}/node_modules/zod/`) },
  });
  return {
    ...both,
    async [Symbol.asyncDispose]() {
      await both[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
};

describe("the page's files", () => {
  it('come with their types and never from another site', async () => {
    await using both = await startWithPage();
    const page = await fetch(`${both.slack.url}/`);
    expect(await page.text()).toContain('<title>Slack</title>');
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'self'");
    expect(page.headers.get('cache-control')).toBe('no-store');
    const script = await fetch(`${both.slack.url}/page/app.js`);
    expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    const vendor = await fetch(`${both.slack.url}/page/vendor/zod/index.js`);
    expect(vendor.status).toBe(200);
  });

  it.each([
    '/page/../../../../etc/passwd',
    '/page/%2e%2e/%2e%2e/package.json',
    '/page/..%2f..%2fpackage.json',
    '/page/vendor/zod/../../package.json',
    '/page/link.html',
    '/page/missing.js',
    '/page/',
    '/etc/passwd',
  ])('are all there is: %s is not found', async (path) => {
    await using both = await startWithPage();
    expect(await rawStatus(both.slack.url, path)).toBe(404);
  });
});

describe('POST /page-api', () => {
  it('answers in words what cannot be done', async () => {
    await using both = await startWithPage();
    const api = `${both.slack.url}/page-api`;
    expect(await post(`${api}/command`, { as: alex })).toMatchObject({ answer: { ok: false } });
    expect(await post(`${api}/submit`, { as: alex, view_id: 'V1', state: {} })).toEqual({
      status: 200,
      answer: { ok: false, error: 'This dialog is gone.' },
    });
    expect(await post(`${api}/toString`, {})).toMatchObject({ status: 404 });
  });

  it('cannot be driven by another site', async () => {
    await using both = await startWithPage();
    const path = '/page-api/reload';
    expect(await post(`${both.slack.url}${path}`, { as: alex }, 'text/plain')).toMatchObject({ status: 415 });
    expect(await rawStatus(both.slack.url, '/', 'slack.attacker.example')).toBe(403);
    expect(await rawStatus(both.slack.url, '/', 'localhost:80')).toBe(200);
  });
});
