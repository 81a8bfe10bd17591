import { describe, expect, it } from 'vitest';
import { RightUnknownError } from '../../src/permissions/acts.ts';
import { WorkspaceSettings } from '../../src/workspaces/settings.ts';
import { createAdminSettings } from '../../src/admin/settings.ts';
import { SETTINGS_FORM as FORM } from '../../src/messages/home-ids.ts';
import { keepSettings } from '../support/settings-values.ts';
import { ada, alex, openSettings, wordsOf } from './settings-stage.ts';
import { settingsWith } from '../home/sources.ts';

const seenIn = (opened: object) => ('seen' in opened ? String(opened.seen) : undefined);

async function stage(start: Partial<WorkspaceSettings> = {}) {
  const opened = await openSettings(start);
  return {
    ...opened,
    settings: createAdminSettings({ ...opened.parts, settingsOf: async () => settingsWith({}) }),
  };
}

/** A form as it is filled in where nothing was changed, but for the changes. */
const filled = (changes: Readonly<Record<string, readonly string[]>> = {}) => ({
  [FORM.mostBlock]: ['full'],
  [FORM.usualBlock]: ['full'],
  [FORM.channelBlock]: [],
  [FORM.channelAccessBlock]: [],
  ...changes,
});

describe('the form of the settings', () => {
  it('opens for an admin, with what the settings are', async () => {
    const { settings } = await stage({ maxAccess: 'point' });
    const answer = await settings.open(ada, 'edit');
    expect('form' in answer && JSON.stringify(answer.form)).toContain('"value":"point"');
  });

  it('does not open for others, and that is recorded', async () => {
    const { settings, refusals } = await stage();
    const answer = await settings.open(alex, 'edit');
    expect(refusals).toEqual(['refusal: U0ALEX not-admin settings']);
    expect(answer).not.toHaveProperty('form');
    expect('refused' in answer && answer.refused.text).toContain('admins and owners');
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
        [FORM.channelAccessBlock]: ['point'],
      }),
      'edit',
    );
    const after = {
      maxAccess: 'point',
      defaultAccess: 'view',
      channelAccess: { C0SALES: 'point' },
      rules,
    };
    expect(await stored()).toEqual(after);
    expect(answer).toHaveProperty('saved');
    expect(wordsOf(answer)).toContain('Settings saved.');
    const done = { by: ada.userId, outcome: 'done' };
    expect(recorded).toEqual([
      { ...done, setting: 'maxAccess', from: 'full', to: 'point' },
      { ...done, setting: 'defaultAccess', from: 'full', to: 'view' },
      { ...done, setting: 'channelAccess', from: {}, to: { C0SALES: 'point' } },
    ]);
  });

  it('keeps the other channels, and takes one away where it is to be as elsewhere', async () => {
    const { settings, stored } = await stage({ channelAccess: { C1: 'view', C2: 'point' } });
    await settings.save(ada, filled(), 'edit');
    expect((await stored()).channelAccess).toEqual({ C1: 'view', C2: 'point' });
    await settings.save(
      ada,
      filled({ [FORM.channelBlock]: ['C3'], [FORM.channelAccessBlock]: ['full'] }),
      'edit',
    );
    expect((await stored()).channelAccess).toEqual({ C1: 'view', C2: 'point', C3: 'full' });
    await settings.save(
      ada,
      filled({ [FORM.channelBlock]: ['C1'], [FORM.channelAccessBlock]: [FORM.noAccess] }),
      'edit',
    );
    expect((await stored()).channelAccess).toEqual({ C2: 'point', C3: 'full' });
  });

  it('records nothing where nothing was changed', async () => {
    const { settings, recorded } = await stage({ channelAccess: { C1: 'view', C2: 'point' } });
    await settings.save(ada, filled(), 'edit');
    await settings.save(
      ada,
      filled({ [FORM.channelBlock]: ['C1'], [FORM.channelAccessBlock]: ['view'] }),
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
    for (const answer of await Promise.all(answers)) expect(wordsOf(answer)).toContain('Nothing changed.');
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
    expect(await stored()).toMatchObject({ maxAccess: 'point' });
  });

  it('leaves alone what the form showed and was not touched, whatever became of it meanwhile', async () => {
    const { settings, database, recorded, stored } = await stage();
    const opened = await settings.open(ada, 'edit');
    await keepSettings(database, 'T1', { maxAccess: 'view' });
    await settings.save(ada, filled({ [FORM.usualBlock]: ['point'] }), 'edit', seenIn(opened));
    expect(await stored()).toMatchObject({ maxAccess: 'view', defaultAccess: 'point' });
    expect(recorded).toMatchObject([{ setting: 'defaultAccess' }]);
  });

  it('says who changed the same meanwhile, and does not change that', async () => {
    const { settings, database, recorded, stored } = await stage({ defaultAccess: 'full' });
    const opened = await settings.open(ada, 'edit');
    await keepSettings(database, 'T1', { defaultAccess: 'view' });
    const form = filled({ [FORM.mostBlock]: ['point'], [FORM.usualBlock]: ['point'] });
    const answer = await settings.save(ada, form, 'edit', seenIn(opened));
    expect(answer).not.toHaveProperty('saved');
    const text = wordsOf(answer);
    expect(await stored()).toMatchObject({ maxAccess: 'point', defaultAccess: 'view' });
    expect(text).toContain('<@U0EARLIER> changed the default access while your form was open');
    expect(text).toContain('Default access: view only');
    expect(recorded).toMatchObject([{ setting: 'maxAccess' }]);
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
    const channel = { [FORM.channelBlock]: ['C1'], [FORM.channelAccessBlock]: [FORM.noAccess] };
    expect(await complaintsOf(channel)).toEqual({});
  });

  it.each([
    [
      'a usual access over the limit',
      { [FORM.mostBlock]: ['view'] },
      FORM.usualBlock,
      'more than the maximum above: view only',
    ],
    [
      'a channel’s access over the limit',
      {
        [FORM.mostBlock]: ['view'],
        [FORM.usualBlock]: ['view'],
        [FORM.channelBlock]: ['C1'],
        [FORM.channelAccessBlock]: ['full'],
      },
      FORM.channelAccessBlock,
      'more than the maximum above: view only',
    ],
    [
      'a channel without an access level',
      { [FORM.channelBlock]: ['C1'] },
      FORM.channelAccessBlock,
      'Choose the access there',
    ],
    [
      'an access level without a channel',
      { [FORM.channelAccessBlock]: ['view'] },
      FORM.channelBlock,
      'Choose the channel',
    ],
    ['no limit', { [FORM.mostBlock]: [] }, FORM.mostBlock, 'Choose the maximum'],
    ['a limit nobody knows', { [FORM.mostBlock]: ['everything'] }, FORM.mostBlock, 'Choose the maximum'],
    ['no usual access', { [FORM.usualBlock]: [] }, FORM.usualBlock, 'Choose the default access.'],
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
