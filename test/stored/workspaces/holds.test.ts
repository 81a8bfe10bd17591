import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { sql } from '../../../src/database/database.ts';
import { createDataKeys } from '../../../src/workspaces/data-keys.ts';
import { createHolds, holdWorkspace, type TokenAnswer } from '../../../src/workspaces/holds.ts';
import { createInstalls } from '../../../src/workspaces/installs.ts';
import { engines, openUntilTestEnds } from '../../support/engines.ts';
import { anInstall } from '../../workspaces/an-install.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const START = Date.UTC(2026, 2, 1, 12);
const ACME = 'T0ACME00000';

const Row = z.object({
  held_until: z.number().nullable(),
  gone_at: z.number().nullable(),
  purging: z.number().nullable(),
});

describe.each(engines)('the app in a workspace, in $engine', ({ newUrl }) => {
  async function stage({ isInSettings = false } = {}) {
    const database = await openUntilTestEnds(await newUrl());
    let time = START;
    let answer: TokenAnswer = 'good';
    const asked: string[] = [];
    const changed: string[] = [];
    const now = () => time;
    const installs = createInstalls({ database, dataKeys: createDataKeys(['k'.repeat(32)]), now });
    const install = () => installs.record(anInstall(ACME));
    if (isInSettings) await database.write(holdWorkspace(ACME, 'token_revoked', time));
    else await install();
    const holds = createHolds({
      database,
      async ask(id) {
        asked.push(id);
        return answer;
      },
      changed: (id) => void changed.push(id),
      now,
    });
    const says = (next: TokenAnswer) => void (answer = next);
    /** Time passes, and whoever is due then is asked about. */
    async function after(ms: number, times = 1): Promise<void> {
      for (let round = 0; round < times; round += 1) {
        time += ms;
        await holds.askWhoIsDue();
      }
    }
    return {
      ...holds,
      install,
      asked,
      changed,
      says,
      after,
      /** Slack refuses the token twice. */
      remove: async () => {
        says('refused');
        await holds.markUncertain(ACME);
        await after(MINUTE_MS);
      },
      state: async () => {
        const [row] = await database.read(sql`SELECT held_until, gone_at, purging FROM workspaces`, Row);
        if (row?.purging === 1) return 'purging';
        if (row?.gone_at !== null) return 'gone';
        return row.held_until === null ? 'there' : 'held';
      },
    };
  }

  it('is held from the first refusal of its token, and gone after the second one a minute later', async () => {
    const { markUncertain, says, after, state, asked, changed } = await stage();
    await markUncertain(ACME);
    expect(await state()).toBe('there');
    says('refused');
    await markUncertain(ACME);
    expect(await state()).toBe('held');
    await after(0);
    expect(await state()).toBe('held');
    await after(MINUTE_MS);
    expect(await state()).toBe('gone');
    expect(asked).toHaveLength(3);
    expect(changed).toEqual([ACME, ACME]);
  });

  it('is only held while Slack can’t be asked, however long, and there again at the first good answer', async () => {
    const { markUncertain, says, after, state } = await stage();
    says('refused');
    await markUncertain(ACME);
    says('unknown');
    await after(MINUTE_MS, 5);
    expect(await state()).toBe('held');
    says('good');
    await after(MINUTE_MS);
    expect(await state()).toBe('there');
  });

  it('is asked about once a day where nothing is known against it, and that notices what no event said', async () => {
    const { says, after, state, asked } = await stage();
    await after(0);
    expect(asked).toEqual([]);
    await after(DAY_MS);
    await after(0);
    expect(asked).toHaveLength(1);
    says('refused');
    await after(DAY_MS);
    expect(await state()).toBe('held');
    await after(MINUTE_MS);
    expect(await state()).toBe('gone');
  });

  it('comes back when Slack accepts its token again, and when it’s installed again', async () => {
    const { markUncertain, says, after, state, install, remove } = await stage();
    await remove();
    says('good');
    await after(DAY_MS);
    expect(await state()).toBe('there');
    await remove();
    await install();
    expect(await state()).toBe('there');
    says('good');
    await markUncertain(ACME);
    expect(await state()).toBe('there');
  });

  it('is purged once it has been gone for 14 days, unless Slack can’t be asked', async () => {
    const { says, after, state, remove } = await stage();
    await remove();
    await after(DAY_MS, 13);
    expect(await state()).toBe('gone');
    says('unknown');
    await after(3 * DAY_MS);
    expect(await state()).toBe('gone');
    says('refused');
    await after(DAY_MS);
    expect(await state()).toBe('purging');
  });

  it('whose token is in the settings stays on hold: nothing of it ever goes by itself', async () => {
    const { says, after, state } = await stage({ isInSettings: true });
    says('refused');
    await after(DAY_MS, 30);
    expect(await state()).toBe('held');
    says('good');
    await after(MINUTE_MS);
    expect(await state()).toBe('there');
  });
});
