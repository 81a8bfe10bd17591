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
    const pass = (ms: number) => void (time += ms);
    return {
      ...holds,
      install,
      asked,
      changed,
      says,
      pass,
      /** Slack refuses the token twice. */
      remove: async () => {
        says('refused');
        await holds.markUncertain(ACME);
        pass(MINUTE_MS);
        await holds.askWhoIsDue();
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
    const { markUncertain, askWhoIsDue, says, pass, state, asked, changed } = await stage();
    await markUncertain(ACME);
    expect(await state()).toBe('there');
    says('refused');
    await markUncertain(ACME);
    expect(await state()).toBe('held');
    await askWhoIsDue();
    expect(await state()).toBe('held');
    pass(MINUTE_MS);
    await askWhoIsDue();
    expect(await state()).toBe('gone');
    expect(asked).toHaveLength(3);
    expect(changed).toEqual([ACME, ACME]);
  });

  it('is only held while Slack can’t be asked, however long, and there again at the first good answer', async () => {
    const { markUncertain, askWhoIsDue, says, pass, state } = await stage();
    says('refused');
    await markUncertain(ACME);
    says('unknown');
    for (let minutes = 0; minutes < 5; minutes += 1) {
      pass(MINUTE_MS);
      await askWhoIsDue();
    }
    expect(await state()).toBe('held');
    says('good');
    pass(MINUTE_MS);
    await askWhoIsDue();
    expect(await state()).toBe('there');
  });

  it('is asked about once a day where nothing is known against it, and that notices what no event said', async () => {
    const { askWhoIsDue, says, pass, state, asked } = await stage();
    await askWhoIsDue();
    expect(asked).toEqual([]);
    pass(DAY_MS);
    await askWhoIsDue();
    await askWhoIsDue();
    expect(asked).toHaveLength(1);
    says('refused');
    pass(DAY_MS);
    await askWhoIsDue();
    expect(await state()).toBe('held');
    pass(MINUTE_MS);
    await askWhoIsDue();
    expect(await state()).toBe('gone');
  });

  it('comes back when Slack accepts its token again, and when it’s installed again', async () => {
    const { markUncertain, askWhoIsDue, says, pass, state, install, remove } = await stage();
    await remove();
    says('good');
    pass(DAY_MS);
    await askWhoIsDue();
    expect(await state()).toBe('there');
    await remove();
    await install();
    expect(await state()).toBe('there');
    says('good');
    await markUncertain(ACME);
    expect(await state()).toBe('there');
  });

  it('is purged once it has been gone for 14 days, unless Slack can’t be asked', async () => {
    const { askWhoIsDue, says, pass, state, remove } = await stage();
    await remove();
    for (let days = 0; days < 13; days += 1) {
      pass(DAY_MS);
      await askWhoIsDue();
    }
    expect(await state()).toBe('gone');
    says('unknown');
    pass(3 * DAY_MS);
    await askWhoIsDue();
    expect(await state()).toBe('gone');
    says('refused');
    pass(DAY_MS);
    await askWhoIsDue();
    expect(await state()).toBe('purging');
  });

  it('whose token is in the settings stays on hold: nothing of it ever goes by itself', async () => {
    const { askWhoIsDue, says, pass, state } = await stage({ isInSettings: true });
    says('refused');
    for (let days = 0; days < 30; days += 1) {
      pass(DAY_MS);
      await askWhoIsDue();
    }
    expect(await state()).toBe('held');
    says('good');
    pass(MINUTE_MS);
    await askWhoIsDue();
    expect(await state()).toBe('there');
  });
});
