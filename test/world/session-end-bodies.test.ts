import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Session } from '../../src/cobrowse/schemas.ts';
import { alexInSupport, endedSession } from '../sessions/ended-session.ts';
import { serveRoute } from '../sessions/webhook-stage.ts';

const MIB = 1_048_576;
/** Letters of one to four bytes in UTF-8, in a session as a service writes it. */
const comment = 'Zoë said 雪 😀';
const json = JSON.stringify(endedSession('s1', { quality_feedback: [comment] }), undefined, 2);

const padded = (bytes: number) => Buffer.concat([Buffer.from(json), Buffer.alloc(bytes, ' ')], bytes);

/** The route alone, and what it took in. */
async function openRoute() {
  const taken: Session[] = [];
  const accept = async (_: unknown, session: Session) => {
    taken.push(session);
    return 'accepted' as const;
  };
  const { sendBytes } = await serveRoute({ link: { ...alexInSupport, linkId: 'link-1' }, accept });
  return { taken, send: sendBytes };
}

describe('the body of a session’s end', () => {
  it.each(['', '\uFEFF', '\r\n '])('is read below %j, plain and packed', async (before) => {
    const { send, taken } = await openRoute();
    const bytes = Buffer.from(before + json);
    expect(await send(bytes)).toMatchObject({ status: 200 });
    expect(await send(gzipSync(bytes), { 'content-encoding': 'gzip' })).toMatchObject({ status: 200 });
    expect(taken.map(({ quality_feedback: said }) => said)).toEqual([[comment], [comment]]);
  });

  it.each<Readonly<Record<string, string>>>([
    {},
    { 'content-type': 'text/plain' },
    { 'content-type': 'application/json; charset=utf-16' },
    { 'content-type': '/' },
    { 'content-encoding': 'identity' },
    { 'content-encoding': 'UTF-8' },
    // Something in between unpacked it, and left the header.
    { 'content-encoding': 'gzip' },
  ])('is read whatever it calls itself: %j', async (headers) => {
    const { send, taken } = await openRoute();
    expect(await send(Buffer.from(json), headers)).toMatchObject({ status: 200 });
    expect(taken).toHaveLength(1);
  });

  it.each(['GZIP', 'x-gzip', 'identity, gzip', 'none said'])(
    'is read from gzip that’s called %s',
    async (name) => {
      const { send, taken } = await openRoute();
      const headers: Record<string, string> = name === 'none said' ? {} : { 'content-encoding': name };
      expect(await send(gzipSync(json), headers)).toMatchObject({ status: 200 });
      expect(taken).toHaveLength(1);
    },
  );

  it.each([
    ['gzip that breaks off', gzipSync(json).subarray(0, -12)],
    ['gzip that is broken', Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3])],
    ['gzip that holds no JSON', gzipSync('<html>')],
    ['brotli', brotliCompressSync(json)],
    ['UTF-16', Buffer.from(json, 'utf16le')],
  ])('in %s is answered with 400', async (_, bytes) => {
    const { send, taken } = await openRoute();
    const answer = await send(Buffer.from(bytes), { 'content-encoding': 'gzip' });
    expect(answer).toMatchObject({ status: 400, body: '{"status":"error","error":"not JSON"}' });
    expect(taken).toEqual([]);
  });

  it('may be 1 MiB once it’s unpacked, and gets 413 with one byte more, or with 64 MiB', async () => {
    const { send, taken } = await openRoute();
    expect(await send(gzipSync(padded(MIB)))).toMatchObject({ status: 200 });
    const tooLarge = [gzipSync(padded(MIB + 1)), gzipSync(Buffer.alloc(64 * MIB))];
    expect(tooLarge[1]?.length).toBeLessThan(1.1 * MIB);
    for (const bytes of tooLarge) expect(await send(bytes)).toMatchObject({ status: 413 });
    expect(taken).toHaveLength(1);
  });

  it('may be deep, where nothing of that is kept', async () => {
    const { send, taken } = await openRoute();
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    const body = `{"id":"s1","extra":${deep},"quality_feedback":${deep}}`;
    expect(await send(Buffer.from(body))).toMatchObject({ status: 200 });
    expect(JSON.stringify(taken).length).toBeLessThan(200);
  });
});
