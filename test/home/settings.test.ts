import { describe, expect, it } from 'vitest';
import { RightUnknownError } from '../../src/grants/acts.ts';
import { WorkspaceSettings } from '../../src/grants/settings.ts';
import { createAdminSettings } from '../../src/home/settings.ts';
import { SETTINGS_FORM as FORM } from '../../src/views/home-ids.ts';
import { keepSettings } from '../support/settings-book.ts';
import { ada, alex, openSettings } from './settings-stage.ts';

const seenIn = (opened: object) => ('seen' in opened ? String(opened.seen) : undefined);

async function stage(start: Partial<WorkspaceSettings> = {}) {
  const opened = await openSettings(start);
  return { ...opened, settings: createAdminSettings(opened.parts) };
}

/** A form as it is filled in where nothing was changed, but for the changes. */
const filled = (changes: Readonly<Record<string, readonly string[]>> = {}) => ({
  [FORM.mostBlock]: ['full'],
  [FORM.usualBlock]: ['full'],
  [FORM.channelBlock]: [],
  [FORM.channelPowerBlock]: [],
  ...changes,
});

describe('the form of the settings', () => {
  it('opens for an admin, with what the settings are', async () => {
    const { settings } = await stage({ mostPower: 'point' });
    const answer = await settings.open(ada, 'edit');
    expect('form' in answer && JSON.stringify(answer.form)).toContain('"value":"point"');
  });

  it('does not open for others, and that is recorded', async () => {
    const { settings, refusals } = await stage();
    const answer = await settings.open(alex, 'edit');
    expect(refusals).toEqual(['refusal: U0ALEX not-admin settings']);
    expect(answer).not.toHaveProperty('form');
    expect('refused' in answer && answer.refused.text).toContain('for admins and owners');
  });
});

describe('saving the settings', () => {
  it('keeps what was chosen, and records who changed what', async () => {
    const rules = { delete: { members: false, ids: ['U0SAM'] } };
    const { settings, recorded, stored } = await stage({ rules });
    const answer = await settings.save(
      ada,
      filled({
        [FORM.mostBlock]: ['point'],
        [FORM.usualBlock]: ['view'],
        [FORM.channelBlock]: ['C0SALES'],
        [FORM.channelPowerBlock]: ['point'],
      }),
      'edit',
    );
    const after = {
      mostPower: 'point',
      usualPower: 'view',
      channelPower: { C0SALES: 'point' },
      rules,
    };
    expect(await stored()).toEqual(after);
    expect(answer.text).toContain('The settings are saved.');
    const done = { by: ada.userId, outcome: 'done' };
    expect(recorded).toEqual([
      { ...done, setting: 'mostPower', from: 'full', to: 'point' },
      { ...done, setting: 'usualPower', from: 'full', to: 'view' },
      { ...done, setting: 'channelPower', from: {}, to: { C0SALES: 'point' } },
    ]);
  });

  it('keeps the other channels, and takes one away where it is to be as elsewhere', async () => {
    const { settings, stored } = await stage({ channelPower: { C1: 'view', C2: 'point' } });
    await settings.save(ada, filled(), 'edit');
    expect((await stored()).channelPower).toEqual({ C1: 'view', C2: 'point' });
    await settings.save(
      ada,
      filled({ [FORM.channelBlock]: ['C3'], [FORM.channelPowerBlock]: ['full'] }),
      'edit',
    );
    expect((await stored()).channelPower).toEqual({ C1: 'view', C2: 'point', C3: 'full' });
    await settings.save(
      ada,
      filled({ [FORM.channelBlock]: ['C1'], [FORM.channelPowerBlock]: [FORM.noPower] }),
      'edit',
    );
    expect((await stored()).channelPower).toEqual({ C2: 'point', C3: 'full' });
  });

  it('records nothing where nothing was changed', async () => {
    const { settings, recorded } = await stage({ channelPower: { C1: 'view', C2: 'point' } });
    await settings.save(ada, filled(), 'edit');
    await settings.save(
      ada,
      filled({ [FORM.channelBlock]: ['C1'], [FORM.channelPowerBlock]: ['view'] }),
      'edit',
    );
    expect(recorded).toEqual([]);
  });

  it('is for admins, asked again at the save itself', async () => {
    const { settings, admins, recorded, refusals, stored } = await stage();
    expect(await settings.open(ada, 'edit')).toHaveProperty('form');
    admins.delete(ada.userId);
    const answers = [ada, alex].map((viewer) =>
      settings.save(viewer, filled({ [FORM.mostBlock]: ['view'] }), 'edit'),
    );
    for (const { text } of await Promise.all(answers)) expect(text).toContain('Nothing was changed.');
    expect(await stored()).toEqual(WorkspaceSettings.parse({}));
    expect(recorded).toEqual([]);
    expect(refusals).toEqual(['refusal: U0ADA not-admin settings', 'refusal: U0ALEX not-admin settings']);
  });

  it('changes nothing that cannot be recorded', async () => {
    const { settings, audit, stored } = await stage();
    audit.isDown = true;
    const save = settings.save(ada, filled({ [FORM.mostBlock]: ['point'] }), 'edit');
    await expect(save).rejects.toThrow('The database failed');
    expect(await stored()).toEqual(WorkspaceSettings.parse({}));
    audit.isDown = false;
    await settings.save(ada, filled({ [FORM.mostBlock]: ['point'] }), 'edit');
    expect(await stored()).toMatchObject({ mostPower: 'point' });
  });

  it('leaves alone what the form showed and was not touched, whatever became of it meanwhile', async () => {
    const { settings, database, recorded, stored } = await stage();
    const opened = await settings.open(ada, 'edit');
    await keepSettings(database, 'T1', { mostPower: 'view' });
    await settings.save(ada, filled({ [FORM.usualBlock]: ['point'] }), 'edit', seenIn(opened));
    expect(await stored()).toMatchObject({ mostPower: 'view', usualPower: 'point' });
    expect(recorded).toMatchObject([{ setting: 'usualPower' }]);
  });

  it('says who changed the same meanwhile, and does not change that', async () => {
    const { settings, database, recorded, stored } = await stage({ usualPower: 'full' });
    const opened = await settings.open(ada, 'edit');
    await keepSettings(database, 'T1', { usualPower: 'view' });
    const form = filled({ [FORM.mostBlock]: ['point'], [FORM.usualBlock]: ['point'] });
    const { text } = await settings.save(ada, form, 'edit', seenIn(opened));
    expect(await stored()).toMatchObject({ mostPower: 'point', usualPower: 'view' });
    expect(text).toContain('<@U0EARLIER> changed what Watch grants while your form was open');
    expect(text).toContain('Watch grants: view only');
    expect(recorded).toMatchObject([{ setting: 'mostPower' }]);
  });

  it('saves nothing while Slack cannot be asked who is an admin, and that is recorded', async () => {
    const { settings, slack, refusals, stored } = await stage();
    slack.isDown = true;
    const save = settings.save(ada, filled({ [FORM.mostBlock]: ['view'] }), 'edit');
    await expect(save).rejects.toThrow(RightUnknownError);
    await expect(settings.open(ada, 'edit')).rejects.toThrow(RightUnknownError);
    expect(await stored()).toEqual(WorkspaceSettings.parse({}));
    const refusal = 'refusal: U0ADA unchecked settings';
    expect(refusals).toEqual([refusal, refusal]);
  });
});

const complaintsOf = async (changes: Readonly<Record<string, readonly string[]>>) =>
  (await stage()).settings.complaints(filled(changes));

describe('what is wrong with filled-in settings', () => {
  it('is nothing where all is well', async () => {
    expect(await complaintsOf({})).toEqual({});
    const channel = { [FORM.channelBlock]: ['C1'], [FORM.channelPowerBlock]: [FORM.noPower] };
    expect(await complaintsOf(channel)).toEqual({});
  });

  it.each([
    [
      'a usual power over the limit',
      { [FORM.mostBlock]: ['view'] },
      FORM.usualBlock,
      'more than the limit above: view only',
    ],
    [
      'a channel’s power over the limit',
      {
        [FORM.mostBlock]: ['view'],
        [FORM.usualBlock]: ['view'],
        [FORM.channelBlock]: ['C1'],
        [FORM.channelPowerBlock]: ['full'],
      },
      FORM.channelPowerBlock,
      'more than the limit above: view only',
    ],
    [
      'a channel without a power',
      { [FORM.channelBlock]: ['C1'] },
      FORM.channelPowerBlock,
      'Choose what Watch grants there',
    ],
    [
      'a power without a channel',
      { [FORM.channelPowerBlock]: ['view'] },
      FORM.channelBlock,
      'Choose the channel',
    ],
    ['no limit', { [FORM.mostBlock]: [] }, FORM.mostBlock, 'Choose the most'],
    ['a limit nobody knows', { [FORM.mostBlock]: ['everything'] }, FORM.mostBlock, 'Choose the most'],
    ['no usual power', { [FORM.usualBlock]: [] }, FORM.usualBlock, 'Choose what Watch grants.'],
  ])('is said beside the field: %s', async (_what, changes, block, words) => {
    const complaints = await complaintsOf(changes);
    expect(Object.keys(complaints)).toEqual([block]);
    expect(complaints[block]).toContain(words);
  });

  it('is found in a form without any field', async () => {
    const { settings } = await stage();
    expect(Object.keys(settings.complaints({}))).toEqual([FORM.mostBlock, FORM.usualBlock]);
  });
});
