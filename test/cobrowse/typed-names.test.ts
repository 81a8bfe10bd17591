import { Resolver } from 'node:dns/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createTypedNameLookup } from '../../src/cobrowse/public-agent.ts';
import { holdLimit } from './held-limit.ts';

const V4 = '93.184.215.14';
const V6 = '2606:2800:21f:cb07:6820:80da:af6b:8b2c';
const LIMIT_MS = 3_000;

/** What name servers say about one family of a name: its addresses, or why there are none. */
type Said = readonly string[] | 'ENODATA' | 'ENOTFOUND' | 'ESERVFAIL' | 'nothing, ever';

function say(four: Said, six: Said, asked?: (name: string) => Promise<void>) {
  const canceled = Promise.withResolvers<never>();
  vi.spyOn(Resolver.prototype, 'cancel').mockImplementation(() => canceled.reject(new Error('canceled')));
  for (const [family, said] of [['resolve4', four] as const, ['resolve6', six] as const])
    vi.spyOn(Resolver.prototype, family).mockImplementation(async (name) => {
      await asked?.(name);
      if (said === 'nothing, ever') return canceled.promise;
      if (typeof said === 'string') throw Object.assign(new Error(said), { code: said });
      return [...said];
    });
  onTestFinished(() => void vi.restoreAllMocks());
}

/** The addresses that it calls back with, or its error's code. */
const found = (lookUp: ReturnType<typeof createTypedNameLookup>, name = 'shop.example') =>
  new Promise<unknown>((resolve) => {
    lookUp(name, { all: true }, (error, addresses) => {
      if (error !== null) resolve(error.code);
      else resolve(typeof addresses === 'string' ? addresses : addresses.map(({ address }) => address));
    });
  });

describe('a name that somebody typed', () => {
  it.each<[string, Said, Said, unknown]>([
    ['both families', [V4], [V6], [V4, V6]],
    ['IPv4 alone', [V4, '1.1.1.1'], 'ENODATA', [V4, '1.1.1.1']],
    ['IPv6 alone', 'ENODATA', [V6], [V6]],
    ['one family, while the other one fails', [V4], 'ESERVFAIL', [V4]],
    ['no address', 'ENODATA', 'ENODATA', 'ENOTFOUND'],
    ['no such name', 'ENOTFOUND', 'ENOTFOUND', 'ENOTFOUND'],
    ['a failure', 'ESERVFAIL', 'ESERVFAIL', 'EAI_AGAIN'],
    ['a failure and no address', 'ENODATA', 'ESERVFAIL', 'EAI_AGAIN'],
  ])('is answered with %s', async (_what, four, six, outcome) => {
    say(four, six);
    expect(await found(createTypedNameLookup())).toEqual(outcome);
  });

  it.each<[Said, unknown]>([
    ['nothing, ever', 'EAI_AGAIN'],
    [[V4], [V4]],
  ])('is given up once its time is over, where IPv4 is answered with %j', async (four, outcome) => {
    const limit = holdLimit(LIMIT_MS);
    const isAsked = Promise.withResolvers<void>();
    say(four, 'nothing, ever', async () => isAsked.resolve());
    const given = found(createTypedNameLookup());
    await isAsked.promise;
    limit.runOut();
    expect(await given).toEqual(outcome);
  });

  it('waits for its turn: two are asked for at once', async () => {
    const seen: string[] = [];
    const isAnswered = Promise.withResolvers<void>();
    const areAsked = Promise.withResolvers<void>();
    say([V4], 'ENODATA', async (name) => {
      if (!seen.includes(name)) seen.push(name);
      if (seen.length === 2) areAsked.resolve();
      await isAnswered.promise;
    });
    const lookUp = createTypedNameLookup();
    const all = ['one.example', 'two.example', 'three.example'].map((name) => found(lookUp, name));
    await areAsked.promise;
    seen.push('answered');
    isAnswered.resolve();
    expect(await Promise.all(all)).toEqual([[V4], [V4], [V4]]);
    expect(seen).toEqual(['one.example', 'two.example', 'answered', 'three.example']);
  });
});
