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
  const plain = Buffer.from(json);
  const packed = gzipSync(json);
  it.each<[object, Buffer]>([
    [{}, plain],
    [{}, Buffer.from(`\uFEFF${json}`)],
    [{}, gzipSync(`\uFEFF${json}`)],
    [{}, Buffer.from(`\r\n ${json}`)],
    [{ 'content-type': 'text/plain' }, plain],
    [{ 'content-type': 'application/json; charset=utf-16' }, plain],
    [{ 'content-type': '/' }, plain],
    [{ 'content-encoding': 'identity' }, plain],
    [{ 'content-encoding': 'UTF-8' }, plain],
    // Something in between unpacked it, and left the header.
    [{ 'content-encoding': 'gzip' }, plain],
    [{}, packed],
    ...['gzip', 'GZIP', 'x-gzip', 'identity, gzip'].map((name): [object, Buffer] => [
      { 'content-encoding': name },
      packed,
    ]),
  ])('is read whatever it calls itself, plain and packed: %j', async (headers, bytes) => {
    const { send, taken } = await openRoute();
    expect(await send(Buffer.from(bytes), { ...headers })).toMatchObject({ status: 200 });
    expect(taken.map(({ quality_feedback: said }) => said)).toEqual([[comment]]);
  });

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
