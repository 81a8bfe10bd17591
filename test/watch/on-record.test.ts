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
  readonly issued?: () => Promise<void>;
  readonly failure?: CobrowseError;
}

function openMint({ record, issued, failure }: Stage) {
  const actions: NewEntry[] = [];
  const make = async () => {
    if (failure !== undefined) throw failure;
    return parseWatchLink('https://service.example/w/1');
  };
  const mint = createMint({
    cobrowse: { createWatchLink: make, createProxyLink: make },
    agentFor: async () => ({ id: 'agent_alex', name: 'Alex' }),
    mostPower: async () => 'full',
    sessionEndUrl: () => undefined,
    newGrantId: () => 'grant-1',
    audit: {
      async record(action) {
        actions.push(action);
        await record?.();
      },
    },
    issued: issued ?? (async () => undefined),
  });
  return { mint, actions };
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
    const { mint } = openMint({ record: () => Promise.reject(new DatabaseError('full')) });
    await expect(mint(grant)).rejects.toThrow(DatabaseError);
  });

  it('that the service did not give is on record, too', async () => {
    const { mint, actions } = openMint({ failure: new CobrowseError('limit-reached', 'answered 402') });
    await expect(mint(grant)).rejects.toThrow(CobrowseError);
    expect(actions).toMatchObject([{ ...ALEX, action, outcome: 'limit-reached' }]);
  });
});

it('is handed out only when its end can be looked for', async () => {
  const kept = Promise.withResolvers<void>();
  const { mint, actions } = openMint({ issued: () => kept.promise });
  let isHandedOut = false;
  const link = mint(watch).then((made) => {
    isHandedOut = true;
    return made;
  });
  await expect.poll(() => actions).toHaveLength(1);
  // Longer than all that does not wait for it.
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(isHandedOut).toBe(false);
  kept.resolve();
  await link;
});
