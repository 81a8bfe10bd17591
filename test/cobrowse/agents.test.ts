import { pipeline } from 'node:stream/promises';
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { CobrowseError } from '../../src/cobrowse/errors.ts';
import { connect, rejection, serve } from './stage.ts';

const START = Date.UTC(2026, 0, 1);
const MINUTE = 60_000;
const key = { email: 'alex@acme.example' };
const ids = (sessions: readonly { readonly id: string }[]) => sessions.map(({ id }) => id);
const at = (minute: number) => new Date(START + minute * MINUTE).toISOString();

/** A session as the service sends it, 900 bytes and more; it began that many minutes into the year. */
const session = (minute: number, more: object = {}) =>
  JSON.stringify({
    id: `s${minute}`,
    visitor_id: 'jane4821',
    started_at: at(minute),
    ended_at: at(minute + 1),
    agents: [{ id: 'agent_alex', name: 'Alex' }],
    notes: 'x'.repeat(720),
    ...more,
  });

/** Sends an agent with ten thousand sessions, oldest first, as fast as they are taken. */
async function pour(response: ServerResponse, one: (minute: number) => string) {
  function* parts() {
    yield '{"status":"ok","agent":{"id":"agent_alex","name":"Alex","sessions":[';
    for (let minute = 0; minute < 10_000; minute += 100) {
      const some = Array.from({ length: 100 }, (_, index) => one(minute + index));
      yield `${minute === 0 ? '' : ','}${some.join(',')}`;
    }
    yield ']}}';
  }
  // Who has heard enough hangs up.
  await pipeline(parts, response).catch(() => undefined);
}

describe('an agent with a history of ten thousand sessions', () => {
  it('is found with the newest sessions or those since a time, those still running or of the links, and their number', async () => {
    const metadata = { slack_link: 'the-grant', webhook: 'https://app.example/webhooks/secret' };
    const fields = new Map<number, object>([
      [7, { ended_at: null }],
      [40, { metadata }],
    ]);
    const service = await serve(
      (_, response) => void pour(response, (minute) => session(minute, fields.get(minute))),
    );
    const client = connect(service.url);
    const newest = await client.lookupAgent(key, { sessions: { newest: 3 } });
    expect(newest).toMatchObject({ id: 'agent_alex', name: 'Alex', sessionCount: 10_000 });
    expect(ids(newest.sessions)).toEqual(['s9999', 's9998', 's9997', 's7']);
    const sessions = { since: new Date(at(9_998)), linkIds: new Set(['the-grant']) };
    const since = await client.lookupAgent(key, { sessions });
    expect(ids(since.sessions)).toEqual(['s9999', 's9998', 's40']);
    expect(JSON.stringify(since)).not.toContain('secret');
  });
});

describe('the answer to a look-up', () => {
  const cut = '{"status":"ok","agent":{"id":"a","name":"Al","sessions":[{"id":"s1"},';
  const MANY = `${'{},'.repeat(700_000)}{}`;
  const LARGE = session(1, { notes: 'x'.repeat(200_000) });

  it.each([
    ['is cut off in a session', `${cut}{"id":"s2","visitor`],
    ['has a name that is a list of 700,000 things', `{"agent":{"id":"a","name":[${MANY}]}}`],
    ['has a session of two megabytes', `${cut}{"id":"s2","notes":[${MANY}]}]}}`],
    ['has seventy megabytes of sessions', `${cut}${`${LARGE},`.repeat(350)}${LARGE}]}}`],
  ])('that %s isn’t understood', async (_, body) => {
    const service = await serve((__, response) => response.writeHead(200).end(body));
    const error = await rejection(connect(service.url).lookupAgent(key, { sessions: { newest: 1 } }));
    expect(error).toMatchObject({ kind: 'not-understood', status: 200 });
    expect(error.message).not.toContain('xxx');
  });

  it.each([
    ['last, however many they are', `${cut}${`${LARGE},`.repeat(350)}${LARGE}]}}`, 1],
    ['first', `{"agent":{"sessions":[${`${LARGE},`.repeat(9)}${LARGE}],"id":"a"}}`, 2],
  ])('says who it is where sessions, which nobody asked for, come %s', async (_, body, requests) => {
    const service = await serve((__, response) => response.writeHead(200).end(body));
    expect(await connect(service.url).lookupAgent(key)).toMatchObject({ id: 'a' });
    expect(service.requests).toHaveLength(requests);
  });

  it('that nobody waits for any more is canceled, at the service too', async () => {
    const calledOff = new AbortController();
    const closed = Promise.withResolvers<void>();
    const service = await serve((_, response) => {
      response.once('close', () => closed.resolve());
      response.write('{"status":"ok",', () => calledOff.abort());
    });
    const { signal } = calledOff;
    const error = await rejection(connect(service.url).lookupAgent(key, { signal }));
    expect(error).toMatchObject({ kind: 'called-off' });
    await closed.promise;
    const again = await rejection(connect(service.url).lookupAgent(key, { signal }));
    expect([again.kind, service.requests]).toEqual(['called-off', [expect.any(String)]]);
  });

  it('can have letters cut in two, unknown fields, invalid sessions, and the list first', async () => {
    const text = `{"agent":{"sessions":[1,null,{},{"id":""},{"id":7,"visitor_id":"é"}],"notes":{"a":["\\\\\\"]}{"]},"name":"Zoé","id":3}}`;
    const service = await serve((_, response) => {
      response.writeHead(200);
      for (const byte of Buffer.from(`\uFEFF${text}`)) response.write(Buffer.of(byte));
      response.end();
    });
    const agent = await connect(service.url).lookupAgent(key, { sessions: { newest: 1 } });
    const sessions = [{ id: '7', visitor_id: 'é' }];
    expect(agent).toMatchObject({ id: '3', name: 'Zoé', sessionCount: 1, sessions });
  });
});

describe('an agent’s email', () => {
  it.each([
    ['Dana@Acme.example', 'dana@acme.example', 'dana', ['Dana@Acme.example', 'dana@acme.example']],
    ['Dana@Acme.example', 'Dana@Acme.example', 'dana', ['Dana@Acme.example']],
    ['dana@acme.example', 'sam@acme.example', 'not-found', ['dana@acme.example']],
  ])('is compared without case, and asked for no more than needed: %s, known as %s', async (...row) => {
    const [email, known, outcome, expected] = row;
    const asked: string[] = [];
    const service = await serve(({ url = '' }, response) => {
      const wanted = new URL(url, 'http://service').searchParams.get('email') ?? '';
      asked.push(wanted);
      if (wanted === known) response.end('{"status":"ok","agent":{"id":"dana","sessions":[]}}');
      else response.writeHead(404).end('{"status":"error"}');
    });
    const found = connect(service.url).lookupAgent({ email });
    expect(
      await found.then(
        ({ id }) => id,
        ({ kind }: CobrowseError) => kind,
      ),
    ).toBe(outcome);
    expect(asked).toEqual(expected);
  });
});
