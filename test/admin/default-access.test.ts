import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../src/database/open.ts';
import { createDefaultAccess } from '../../src/admin/default-access.ts';
import { keepSettings } from '../support/settings-values.ts';
import { engines } from '../support/engines.ts';
import { ada, settingsOn } from './settings-stage.ts';

const eve = { ...ada, userId: 'U0EVE' };

describe.each(engines)('the choice of the default access, over $engine', ({ newUrl }) => {
  /** Ada and Eve are admins, each at a process of her own. */
  async function open() {
    const database = await openDatabase(await newUrl());
    onTestFinished(() => database.close());
    const { settings, recorded } = settingsOn(database);
    const [one, other] = [0, 1].map(() => createDefaultAccess(settings));
    if (one === undefined || other === undefined) throw new Error('There are two.');
    return { database, one, other, recorded };
  }

  it('is made once, whoever of two admins is first, and the other is told who was', async () => {
    const { one, other, recorded } = await open();
    expect(await one.now('T1')).toEqual({ inForce: 'full', most: 'full', isChosen: false });
    const answers = await Promise.all([one.choose(ada, 'view'), other.choose(eve, 'point')]);
    const saved = answers.filter(({ text }) => text.startsWith('Saved.'));
    const late = answers.filter(({ text }) => text.includes('already chose the default access'));
    expect([saved.length, late.length]).toEqual([1, 1]);
    const now = await other.now('T1');
    expect(now.isChosen).toBe(true);
    expect(recorded).toEqual([
      {
        by: late[0]?.text.includes('U0ADA') === true ? 'U0ADA' : 'U0EVE',
        outcome: 'done',
        setting: 'defaultAccess',
        from: 'full',
        to: now.inForce,
      },
    ]);
    expect(await one.now('T2')).toMatchObject({ isChosen: false });
  });

  it('is not above a maximum that was lowered meanwhile', async () => {
    const { database, one, recorded } = await open();
    await keepSettings(database, 'T1', { maxAccess: 'point' });
    expect((await one.choose(ada, 'full')).text).toContain('another version');
    expect(recorded).toEqual([]);
    expect(await one.now('T1')).toEqual({ inForce: 'point', most: 'point', isChosen: false });
  });
});
