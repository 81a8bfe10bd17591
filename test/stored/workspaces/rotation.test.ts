import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { sql } from '../../../src/database/database.ts';
import { openDatabase } from '../../../src/database/open.ts';
import { Secret, createDataKeys } from '../../../src/workspaces/data-keys.ts';
import { markForPurge } from '../../../src/workspaces/holds.ts';
import { createInstalls } from '../../../src/workspaces/installs.ts';
import { engines } from '../../support/engines.ts';
import { anInstall } from '../../workspaces/an-install.ts';

const ACME = 'T0ACME00000';
const START = Date.UTC(2026, 2, 1, 12);

describe.each(engines)('a pair of tokens, in $engine', ({ newUrl }) => {
  async function stage() {
    const database = await openDatabase(await newUrl());
    onTestFinished(() => database.close());
    const dataKeys = createDataKeys(['k'.repeat(32)]);
    const installs = createInstalls({ database, dataKeys, now: () => START });
    const rotation = { refreshToken: new Secret('refresh topsecret'), endsAt: START + 1 };
    await installs.record({ ...anInstall(ACME), botToken: new Secret('bot topsecret'), rotation });
    const row = async () =>
      (await database.read(sql`SELECT * FROM workspaces`, z.record(z.string(), z.unknown())))[0];
    return { database, installs, row };
  }

  it('is kept sealed, each in its own column, and goes with the workspace', async () => {
    const { database, installs, row } = await stage();
    const kept = await installs.of(ACME);
    expect(kept?.rotation?.refreshToken?.reveal()).toBe('refresh topsecret');
    expect(kept).toMatchObject({ rotation: { endsAt: START + 1 }, isLost: false });
    expect(JSON.stringify(await row())).not.toContain('topsecret');
    await database.write(sql`UPDATE workspaces SET refresh_token = bot_token`);
    expect((await installs.of(ACME))?.rotation?.refreshToken).toBeUndefined();
    await database.write(markForPurge(sql`id = ${ACME}`));
    expect(await row()).toMatchObject({ bot_token: null, refresh_token: null });
  });

  it('is gone where the app is installed again with a token that doesn’t end', async () => {
    const { installs, row } = await stage();
    await installs.record(anInstall(ACME));
    expect(await installs.of(ACME)).toMatchObject({ rotation: undefined, isLost: false });
    expect(await row()).toMatchObject({ refresh_token: null, token_ends_at: null });
  });
});
