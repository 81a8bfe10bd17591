import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CobrowseError } from '../../src/cobrowse/errors.ts';
import { calls, connect, serve } from './hostile-service.ts';
import { rejection } from './rejection.ts';

const listOf = (entry: string, bytes: number) =>
  `[${`${entry},`.repeat(bytes / (entry.length + 1))}${entry}]`;

describe('an answer with millions of entries', () => {
  // Reading each would hold everybody up for half a minute: the time limit of a test is what fails it then.
  it.each(['{}', '{"id":1}', 'null'])('that are %s is read in no time', async (entry) => {
    const of = {
      visitor: listOf(entry, 2_000_000),
      agent: listOf(entry, 3_000_000),
      all: listOf(entry, 8_000_000),
    };
    const answers = [
      ['/list', `{"visitors":${of.all}}`],
      ['/lookup', `{"agent":{"id":"a1","sessions":${of.agent}}}`],
      ['/visitors/', `{"visitor":{"short_id":"v1","sessions":${of.visitor}}}`],
    ] as const;
    const service = await serve((request, response) =>
      response.writeHead(200).end(answers.find(([path]) => request.url?.includes(path))?.[1]),
    );
    const client = connect(service.url, 60_000);
    expect((await client.visitor('v1')).sessions.length).toBeLessThanOrEqual(10_000);
    const lookedUp = await client.lookupAgent({ email: 'a@b.example' }).then(
      ({ sessions }) => sessions.length,
      (error: unknown) => (error instanceof CobrowseError ? error.kind : 'another error'),
    );
    expect(lookedUp).toBe(entry === '{"id":1}' ? 100 : 'not-understood');
    expect(await rejection(client.listVisitors({ limit: 5 }))).toMatchObject({ kind: 'not-understood' });
  });
});

describe('an answer of three megabytes', () => {
  it('is accepted for a list, but not for a single thing', async () => {
    const entries = listOf('{"id":1}', 3_000_000);
    const service = await serve((_request, response) =>
      response
        .writeHead(200)
        .end(`{"visitors":[{"short_id":"v1"}],"agent":{"id":"a1"},"usage":{},"more":${entries}}`),
    );
    const outcomes = await Promise.allSettled(calls(connect(service.url, 60_000)));
    const kinds = outcomes.map((one) => (one.status === 'rejected' ? one.reason.kind : 'read'));
    expect(kinds.filter((kind) => kind === 'read')).toHaveLength(2);
    expect(new Set(kinds)).toEqual(new Set(['read', 'not-understood']));
  });
});

describe('any answer at all', () => {
  const values = fc.oneof(
    fc.json({ maxDepth: 4 }),
    fc
      .record({
        status: fc.constantFrom('ok', 'ok', 'ok', 'error', null),
        usage: fc.jsonValue(),
        visitors: fc.oneof(
          fc.jsonValue(),
          fc.array(fc.record({ short_id: fc.jsonValue(), tags: fc.jsonValue() })),
        ),
        visitor: fc.record({
          short_id: fc.oneof(fc.string(), fc.jsonValue()),
          sessions: fc.array(fc.jsonValue()),
        }),
        agent: fc.record({ id: fc.string(), sessions: fc.jsonValue(), email: fc.jsonValue() }),
        watch_url: fc.oneof(fc.webUrl(), fc.jsonValue()),
        proxy_url: fc.oneof(fc.webUrl(), fc.jsonValue()),
        authorized: fc.jsonValue(),
        token: fc.jsonValue(),
      })
      .map((value) => JSON.stringify(value)),
    fc.string({ unit: 'binary' }),
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
