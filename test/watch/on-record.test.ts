import { describe, expect, it } from 'vitest';
import { CobrowseError } from '../../src/cobrowse/errors.ts';
import { parseWatchLink } from '../../src/cobrowse/watch-link.ts';
import type { PressGrant } from '../../src/grants/grant.ts';
import { DatabaseError } from '../../src/database/errors.ts';
import type { NewEntry } from '../../src/audit/audit.ts';
import { createMint } from '../../src/watch/mint.ts';

const ALEX = { workspaceId: 'T1', userId: 'U0ALEX', channelId: 'C0SUPPORT' };
const watch: PressGrant = { ...ALEX, visitorId: 'jane4821', power: 'full' };
const proxy: PressGrant = { ...ALEX, proxy: { initialUrl: 'https://shop.example/', allowedDomains: [] } };

interface Stage {
  readonly record?: () => Promise<void>;
  readonly failure?: CobrowseError;
}

function openMint({ record, failure }: Stage) {
  const actions: NewEntry[] = [];
  const issued: (string | undefined)[] = [];
  const make = async () => {
    if (failure !== undefined) throw failure;
    return parseWatchLink('https://service.example/w/1');
  };
  const mint = createMint({
    cobrowse: { createWatchLink: make, createProxyLink: make },
    agentOf: async () => ({ id: 'agent_alex', name: 'Alex' }),
    mostPower: async () => 'full',
    sessionEndUrl: () => undefined,
    newGrantId: () => 'grant-1',
    audit: {
      record: async (entry) => void actions.push(entry),
      hashOf: (typed) => `hash of ${typed}`,
    },
    async putOnRecord(entry, made) {
      actions.push(entry);
      await record?.();
      issued.push(made?.grant.visitorId);
    },
  });
  return { mint, actions, issued };
}

describe.each([
  ['link', watch],
  ['proxy-link', proxy],
] as const)('a %s', (action, grant) => {
  it('is handed out only when the audit has it', async () => {
    const written = Promise.withResolvers<void>();
    const { mint, actions } = openMint({ record: () => written.promise });
    let isHandedOut = false;
    const link = mint(grant).then((made) => {
      isHandedOut = true;
      return made;
    });
    await expect.poll(() => actions).toMatchObject([{ ...ALEX, action, outcome: 'given' }]);
    expect(isHandedOut).toBe(false);
    written.resolve();
    expect((await link).locationHeader()).toBe('https://service.example/w/1');
  });

  it('is kept back where the audit cannot be written', async () => {
    const { mint, issued } = openMint({ record: () => Promise.reject(new DatabaseError('full')) });
    await expect(mint(grant)).rejects.toThrow(DatabaseError);
    expect(issued).toEqual([]);
  });

  it('that the service did not give is on record, too', async () => {
    const { mint, actions } = openMint({ failure: new CobrowseError('limit-reached', 'answered 402') });
    await expect(mint(grant)).rejects.toThrow(CobrowseError);
    expect(actions).toMatchObject([{ ...ALEX, action, outcome: 'limit-reached' }]);
  });
});

it('is on record with the agent that the service was told, and a proxy link with its host', async () => {
  const { mint, actions, issued } = openMint({});
  await mint(watch);
  await mint({ ...ALEX, proxy: { initialUrl: 'https://shop.example:8443/a?b=c', allowedDomains: [] } });
  expect(actions.map(({ detail }) => detail)).toEqual([
    { power: 'full', agent: 'agent_alex', grant: 'grant-1' },
    { host: 'shop.example:8443', address: 'hash of https://shop.example:8443/a?b=c' },
  ]);
  expect(issued).toEqual(['jane4821', undefined]);
});
