import { request } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { startSandbox } from '../../sandbox/sandbox.ts';

/** What a server answers to a POST with these headers; `fetch` sets some of them itself. */
const statusOf = (url: string, headers: Readonly<Record<string, string>>, body: string) =>
  new Promise<number>((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on('error', reject);
    sent.end(body);
  });

it('no other site changes anything in the sandbox, however it asks', async () => {
  const sandbox = await startSandbox({ workspaces: 2 });
  onTestFinished(() => sandbox.close());
  const { slack, service, receiver, many } = sandbox;
  const json = { 'content-type': 'application/json' };
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const changes = [
    [`${slack.url}/page-api/tour`, json, '{"as":"U0ALEX00001"}'],
    [`${slack.url}/api/auth.test`, form, ''],
    [`${service.url}/stand-in/misbehave`, json, '{"latencyMs":1}'],
    [`${service.url}/watch/unknown/end`, form, ''],
    [`${receiver.url}/`, form, 'status=500'],
    [`${receiver.url}/in`, json, '{}'],
    [`${many?.oauth.url}/oauth/v2/authorize`, form, 'answer=allow'],
  ] as const;
  const foreign: readonly Readonly<Record<string, string>>[] = [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: sandbox.shop.url },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site', origin: sandbox.shop.url },
    // A name of theirs that resolves to this machine.
    { host: 'evil.example', origin: 'http://evil.example', 'sec-fetch-site': 'same-origin' },
  ];
  for (const [url, type, body] of changes)
    for (const headers of foreign) {
      const status = await statusOf(url, { ...type, ...headers }, body);
      expect([400, 403], `${url} with ${JSON.stringify(headers)}`).toContain(status);
    }
  const asText = await statusOf(
    `${service.url}/stand-in/misbehave`,
    { 'content-type': 'text/plain' },
    '{"latencyMs":1}',
  );
  expect(asText, 'JSON that says it’s text').toBe(415);
  expect(await (await fetch(`${service.url}/stand-in/misbehave`)).json()).toEqual({});
  // As from a page that tells nobody where it is, such as the watch page.
  const own = { ...json, origin: 'null', 'sec-fetch-site': 'same-origin' };
  expect(await statusOf(`${service.url}/stand-in/misbehave`, own, '{"latencyMs":1}')).toBe(200);
});
