import { gzipSync } from 'node:zlib';
import type { RequestListener } from 'node:http';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CobrowseError } from '../../src/cobrowse/errors.ts';
import { calls, connect, rejection, sam, serve, serveBytes } from './stage.ts';
import { anyCharacter, webAddress } from '../support/any-text.ts';

const json =
  (value: unknown): RequestListener =>
  (_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));

/** A whole answer, as it goes over the wire. */
const wholeAnswer = (token: string) => {
  const body = `{"status":"ok","watch_url":"https://live.service.example/${token}"}`;
  return `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
};

describe('a service that sends the app elsewhere', () => {
  it.each([301, 302, 307])('with %i gets neither the key nor a request there', async (status) => {
    const elsewhere = await serve(json({ status: 'ok' }));
    const service = await serve((_request, response) =>
      response
        .writeHead(status, { location: `${elsewhere.url}/v1.3/usage`, refresh: `0;url=${elsewhere.url}` })
        .end(),
    );
    const outcomes = await Promise.allSettled(calls(connect(service.url)));
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { kind: 'not-understood', status } });
    }
    expect(service.requests).toHaveLength(outcomes.length);
    expect(elsewhere.requests).toEqual([]);
  });
});

describe('an answer made to hurt', () => {
  const bomb = gzipSync(Buffer.alloc(50_000_000));

  it.each([
    ['is packed, and a thousand times as large when unpacked', { 'content-encoding': 'gzip' }, bomb],
    ['is nested without end', {}, Buffer.from('{"status":'.repeat(200_000))],
    ['is nested, and ends', {}, Buffer.from('['.repeat(200_000) + ']'.repeat(200_000))],
    ['is no text', {}, Buffer.from([0xff, 0xfe, 0x00, 0xd8])],
    ['names what every object has', {}, Buffer.from('{"__proto__":{"status":"ok","usage":{}}}')],
  ])('and %s isn’t understood', async (_, headers, body) => {
    const service = await serve((_request, response) => response.writeHead(200, headers).end(body));
    for (const outcome of await Promise.allSettled(calls(connect(service.url)))) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { kind: 'not-understood' } });
    }
  });

  it('and refuses without end is still a refusal', async () => {
    const service = await serve((_request, response) => {
      response.writeHead(404);
      const pour = (): void => {
        if (!response.destroyed) response.write('x'.repeat(100_000), pour);
      };
      pour();
    });
    expect(await rejection(connect(service.url).stopSession('v1'))).toMatchObject({ kind: 'not-found' });
  });

  it.each([
    ['arrives letter by letter', 'HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n\r\n', ' '],
    ['only promises one, again and again', '', 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(100)],
  ])('and %s gets no more time than any other', async (_, head, piece) => {
    const url = await serveBytes((socket) => {
      socket.write(head);
      const timer = setInterval(() => socket.write(piece), 10);
      socket.once('close', () => clearInterval(timer));
    });
    const error = await rejection(connect(url, { timeoutMs: 200 }).stopSession('v1'));
    expect(error).toMatchObject({ kind: 'timed-out' });
  });

  it('and is followed by a second one isn’t mixed up with the next request', async () => {
    let asked = 0;
    const url = await serveBytes((socket) => {
      asked += 1;
      socket.write(asked === 1 ? wholeAnswer('first') + wholeAnswer('smuggled') : wholeAnswer('second'));
    });
    const client = connect(url);
    const link = (id: string) =>
      client.createWatchLink(id, { agent: sam }).then((given) => given.locationHeader());
    expect(await link('v1').catch(() => 'none')).not.toContain('smuggled');
    expect(await link('v2')).toBe('https://live.service.example/second');
  });
});

const count = (asked: Promise<{ readonly sessions: readonly unknown[] }>) =>
  asked.then(
    ({ sessions }) => sessions.length,
    ({ kind }: CobrowseError) => kind,
  );

const listOf = (entry: string, bytes: number) =>
  `[${`${entry},`.repeat(bytes / (entry.length + 1))}${entry}]`;

describe('an answer with millions of entries', () => {
  // Reading each would hold everybody up for half a minute: the time limit of a test is what fails it then.
  it.each(['{}', '{"id":1}', 'null'])('that are %s is read in no time', async (entry) => {
    const answers = [
      ['/list', `{"visitors":${listOf(entry, 8_000_000)}}`],
      ['/lookup', `{"agent":{"id":"a1","sessions":${listOf(entry, 3_000_000)}}}`],
      ['/visitors/', `{"visitor":{"short_id":"v1","sessions":${listOf(entry, 2_000_000)}}}`],
    ] as const;
    const service = await serve((request, response) =>
      response.writeHead(200).end(answers.find(([path]) => request.url?.includes(path))?.[1]),
    );
    const client = connect(service.url, { timeoutMs: 60_000 });
    expect(await count(client.visitor('v1'))).toBe(entry === 'null' ? 0 : 'not-understood');
    const lookedUp = client.lookupAgent({ email: 'a@b.example' }, { sessions: { newest: 100 } });
    expect(await count(lookedUp)).toBe({ '{}': 'not-understood', '{"id":1}': 10_000, null: 0 }[entry]);
    expect(await rejection(client.listVisitors({ limit: 5 }))).toMatchObject({ kind: 'not-understood' });
  });
});

describe('any answer at all', () => {
  const values = fc.oneof(
    fc.json({ maxDepth: 4 }),
    fc
      .record({
        status: fc.constantFrom('ok', 'ok', 'ok', 'error', null),
        usage: fc.jsonValue(),
        visitors: fc.oneof(fc.jsonValue(), fc.array(fc.record({ short_id: fc.jsonValue() }))),
        visitor: fc.record({ short_id: fc.jsonValue(), sessions: fc.array(fc.jsonValue()) }),
        agent: fc.record({ id: fc.string(), sessions: fc.jsonValue(), email: fc.jsonValue() }),
        watch_url: fc.oneof(webAddress, fc.jsonValue()),
        proxy_url: fc.oneof(webAddress, fc.jsonValue()),
        authorized: fc.jsonValue(),
        token: fc.jsonValue(),
      })
      .map((value) => JSON.stringify(value)),
    fc.string({ unit: anyCharacter }),
  );
  const statuses = fc.oneof(
    { weight: 5, arbitrary: fc.constant(200) },
    { weight: 1, arbitrary: fc.integer({ min: 200, max: 599 }) },
  );

  it('is understood or refused with one of the known failures', async () => {
    const unknown: unknown[] = [];
    const next = { status: 200, body: '' };
    const service = await serve((_request, response) =>
      response.writeHead(next.status, { 'retry-after': '9' }).end(next.body),
    );
    const client = connect(service.url);
    await fc.assert(
      fc.asyncProperty(statuses, values, async (status, body) => {
        Object.assign(next, { status, body });
        const outcomes = await Promise.allSettled(calls(client));
        const reasons = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
        unknown.push(...reasons.filter((reason) => !(reason instanceof CobrowseError)));
      }),
      { numRuns: 200 },
    );
    expect(unknown).toEqual([]);
  });
});
