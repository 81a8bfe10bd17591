import { request } from 'undici';

/*
 * Node's fetch says `Sec-Fetch-Mode: cors` of whatever it fetches, as scripts do and scanners may, and lets nobody say anything
 * else. What tests open below /watch/ they open as a person's browser, which is why it's fetched without.
 */
const fetchOfNode = globalThis.fetch;

async function asBrowser(
  url: URL,
  { method = 'GET', headers, body, signal }: RequestInit,
): Promise<Response> {
  const answer = await request(url, {
    method,
    headers: Object.fromEntries(new Headers(headers)),
    body: typeof body === 'string' ? body : null,
    signal: signal ?? null,
  });
  const pairs = Object.entries(answer.headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, one]),
  );
  const response = new Response(await answer.body.text(), { status: answer.statusCode, headers: pairs });
  return Object.defineProperty(response, 'url', { value: url.href });
}

const fetchAsBrowser: typeof fetch = async (input, init = {}) => {
  const url = input instanceof Request ? undefined : new URL(input);
  if (url === undefined || !url.pathname.startsWith('/watch/')) return fetchOfNode(input, init);
  const response = await asBrowser(url, init);
  const to = response.headers.get('location');
  return to === null || init.redirect === 'manual' ? response : fetch(new URL(to, url), init);
};

// It's run again for each file of a process.
if (fetchOfNode.name !== fetchAsBrowser.name) globalThis.fetch = fetchAsBrowser;
