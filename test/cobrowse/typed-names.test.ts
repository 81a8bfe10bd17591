import { describe, expect, it } from 'vitest';
import { createTypedNameLookup } from '../../src/cobrowse/public-agent.ts';
import { holdLimit } from './held-limit.ts';
import { startNameServer, type Said } from './name-server.ts';

const V4 = '93.184.215.14';
const V6 = '2606:2800:21f:cb07:6820:80da:af6b:8b2c';
const LIMIT_MS = 3_000;

/** The addresses that it calls back with, or its error's code. */
const found = (lookUp: ReturnType<typeof createTypedNameLookup>, name = 'shop.example') =>
  new Promise<unknown>((resolve) => {
    lookUp(name, { all: true }, (error, addresses) => {
      if (error !== null) resolve(error.code);
      else resolve(typeof addresses === 'string' ? addresses : addresses.map(({ address }) => address));
    });
  });

const lookUpIn = async (say: Parameters<typeof startNameServer>[0]) =>
  createTypedNameLookup((await startNameServer(say)).servers);

describe('a name that somebody typed', () => {
  it.each<[string, Said, Said, unknown]>([
    ['both families', [V4], [V6], [V4, V6]],
    ['IPv4 alone', [V4, '1.1.1.1'], [], [V4, '1.1.1.1']],
    ['IPv6 alone', [], [V6], [V6]],
    ['one family, while the other one fails', [V4], 'broken', [V4]],
    ['no address', [], [], 'ENOTFOUND'],
    ['no such name', 'no such name', 'no such name', 'ENOTFOUND'],
    ['a failure', 'broken', 'broken', 'EAI_AGAIN'],
    ['a failure and no address', [], 'broken', 'EAI_AGAIN'],
  ])('is answered with %s', async (_what, four, six, outcome) => {
    const lookUp = await lookUpIn((_name, family) => (family === 4 ? four : six));
    expect(await found(lookUp)).toEqual(outcome);
  });

  it.each<[string, Said, unknown]>([
    ['nobody answers', undefined, 'EAI_AGAIN'],
    ['one family was answered', [V4], [V4]],
  ])('is given up once its time is over: %s', async (_when, four, outcome) => {
    const limit = holdLimit(LIMIT_MS);
    const lookUp = await lookUpIn((name, family) =>
      name === 'quick.example' ? [] : family === 4 ? four : undefined,
    );
    const given = found(lookUp);
    // Asked later, so whatever the server said of the first one has arrived.
    expect(await found(lookUp, 'quick.example')).toBe('ENOTFOUND');
    limit.runOut();
    expect(await given).toEqual(outcome);
  });

  it('waits for its turn: two are asked for at once', async () => {
    const seen: string[] = [];
    const isAnswered = Promise.withResolvers<undefined>();
    const areAsked = Promise.withResolvers<undefined>();
    const lookUp = await lookUpIn(async (name, family) => {
      if (family === 6) return [];
      seen.push(name);
      if (seen.length === 2) areAsked.resolve(undefined);
      await isAnswered.promise;
      return [V4];
    });
    const all = ['one.example', 'two.example', 'three.example'].map((name) => found(lookUp, name));
    await areAsked.promise;
    seen.push('answered');
    isAnswered.resolve(undefined);
    expect(await Promise.all(all)).toEqual([[V4], [V4], [V4]]);
    expect(seen.indexOf('answered')).toBe(2);
    expect(seen[3]).toBe('three.example');
  });
});
