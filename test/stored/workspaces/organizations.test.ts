import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../../src/database/open.ts';
import { createDataKeys, Secret } from '../../../src/workspaces/data-keys.ts';
import { createHolds, type TokenAnswer } from '../../../src/workspaces/holds.ts';
import { createInstalls } from '../../../src/workspaces/installs.ts';
import { engines } from '../../support/engines.ts';
import { anInstall } from '../../workspaces/an-install.ts';

const GRID = 'E0GRID00000';
const ACME = 'T0ACME00000';
const GLOBEX = 'T0GLOBEX000';
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

describe.each(engines)('an organization that installed the app, in $engine', ({ newUrl }) => {
  async function stage() {
    const database = await openDatabase(await newUrl());
    onTestFinished(() => database.close());
    let time = Date.UTC(2026, 2, 1, 12);
    const now = () => time;
    const installs = createInstalls({ database, dataKeys: createDataKeys(['k'.repeat(32)]), now });
    const refused = new Set<string>();
    /** As the app asks Slack: with the token that the workspace has. */
    async function ask(id: string): Promise<TokenAnswer> {
      const found = await installs.of(id);
      if (found === undefined) return 'unknown';
      return found.botToken === undefined || refused.has(found.botToken.reveal()) ? 'refused' : 'good';
    }
    const holds = createHolds({ database, ask, changed: () => undefined, now });
    const installGrid = (token = 'of the grid') =>
      installs.record({ ...anInstall(GRID), isOrganization: true, botToken: new Secret(token) });
    await installGrid();
    return {
      installs,
      holds,
      installGrid,
      refuse: (token: string) => void refused.add(token),
      pass: (ms: number) => void (time += ms),
      /** The token that is used there; undefined where the app isn't served. */
      tokenIn: async (id: string) => {
        const found = await installs.of(id);
        return found?.isGone === false ? found.botToken?.reveal() : undefined;
      },
    };
  }

  it('lends its token to each workspace that it gave the app, and to no other', async () => {
    const { installs, tokenIn } = await stage();
    expect(await tokenIn(ACME)).toBeUndefined();
    await installs.grant(GRID, [ACME], 10);
    expect([await tokenIn(ACME), await tokenIn(GLOBEX)]).toEqual(['of the grid', undefined]);
    expect(await installs.counts()).toMatchObject({ installed: 1, organizations: 1 });
    await installs.grant('E0NOBODY000', [GLOBEX], 10);
    expect(await tokenIn(GLOBEX)).toBeUndefined();
  });

  it('takes it back and gives it again: what is sealed with the workspace’s key stays readable', async () => {
    const { installs, tokenIn } = await stage();
    await installs.grant(GRID, [ACME, GLOBEX], 10);
    const before = await installs.of(ACME);
    await installs.revoke(GRID, [ACME], 20);
    expect([await tokenIn(ACME), await tokenIn(GLOBEX)]).toEqual([undefined, 'of the grid']);
    await installs.grant(GRID, [ACME], 30);
    const after = await installs.of(ACME);
    expect(await tokenIn(ACME)).toBe('of the grid');
    expect(after?.installId).toBe(before?.installId);
    expect(after?.dataKey?.equals(before?.dataKey ?? Object(undefined))).toBe(true);
  });

  it('is heard by when Slack said it, since a word that Slack repeats comes late', async () => {
    const { installs, tokenIn } = await stage();
    await installs.grant(GRID, [ACME], 10);
    await installs.revoke(GRID, [ACME], 20);
    await installs.grant(GRID, [ACME], 15);
    expect(await tokenIn(ACME)).toBeUndefined();
  });

  it('stands behind a workspace’s own installation, and takes its place once that is removed', async () => {
    const { installs, holds, tokenIn, refuse, pass } = await stage();
    await installs.grant(GRID, [ACME], 10);
    await installs.record(anInstall(ACME));
    expect(await tokenIn(ACME)).toBe(`token of ${ACME}`);
    refuse(`token of ${ACME}`);
    await holds.doubt(ACME);
    pass(MINUTE_MS);
    await holds.askAboutHeld();
    expect(await tokenIn(ACME)).toBe('of the grid');
  });

  it('that removes the app ends all of its workspaces, except one that installed it itself', async () => {
    const { installs, holds, tokenIn, refuse, pass } = await stage();
    await installs.grant(GRID, [ACME, GLOBEX, 'T0OWN000000'], 10);
    await installs.record(anInstall('T0OWN000000'));
    refuse('of the grid');
    await holds.doubt(GRID);
    pass(MINUTE_MS);
    await holds.askAboutHeld();
    expect([await tokenIn(ACME), await tokenIn(GLOBEX)]).toEqual([undefined, undefined]);
    expect(await tokenIn('T0OWN000000')).toBe('token of T0OWN000000');
  });

  it('that installs it again has given it to no workspace yet', async () => {
    const { installs, holds, installGrid, tokenIn, refuse, pass } = await stage();
    await installs.grant(GRID, [ACME], 10);
    refuse('of the grid');
    await holds.doubt(GRID);
    pass(MINUTE_MS);
    await holds.askAboutHeld();
    await installGrid('another');
    pass(DAY_MS);
    await holds.check();
    expect(await tokenIn(ACME)).toBeUndefined();
    await installs.grant(GRID, [ACME], 20);
    expect(await tokenIn(ACME)).toBe('another');
  });

  it('that installs it once more for its scopes leaves its workspaces as they are', async () => {
    const { installs, installGrid, tokenIn } = await stage();
    await installs.grant(GRID, [ACME], 10);
    await installGrid('another');
    expect(await tokenIn(ACME)).toBe('another');
  });

  it('leaves a workspace that it took the app from 14 days, and then nothing of it', async () => {
    const { installs, holds, pass } = await stage();
    await installs.grant(GRID, [ACME], 10);
    await installs.revoke(GRID, [ACME], 20);
    pass(13 * DAY_MS);
    await holds.check();
    expect(await installs.of(ACME)).toBeDefined();
    pass(2 * DAY_MS);
    await holds.check();
    expect(await installs.of(ACME)).toBeUndefined();
  });
});
