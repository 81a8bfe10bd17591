import { describe, expect, it } from 'vitest';
import { RightUnknownError } from '../../src/grants/acts.ts';
import { WorkspaceSettings } from '../../src/grants/settings.ts';
import { createAdminRules } from '../../src/home/rules.ts';
import { createAdminSettings } from '../../src/home/settings.ts';
import { RULE_FORM, SETTINGS_FORM as FORM } from '../../src/views/home-ids.ts';
import { ada, alex, openSettings } from './settings-stage.ts';

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
    const changes = [
      { setting: 'mostPower', from: 'full', to: 'point' },
      { setting: 'usualPower', from: 'full', to: 'view' },
      { setting: 'channelPower', from: {}, to: { C0SALES: 'point' } },
    ];
    expect(recorded).toEqual([
      { by: ada.userId, outcome: 'asked', changes },
      { by: ada.userId, outcome: 'done', changes },
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
    await expect(save).rejects.toThrow('the audit is down');
    expect(await stored()).toEqual(WorkspaceSettings.parse({}));
    audit.isDown = false;
    await settings.save(ada, filled({ [FORM.mostBlock]: ['point'] }), 'edit');
    expect(await stored()).toMatchObject({ mostPower: 'point' });
  });

  it('keeps both of two changes that come at once, and records each from where it stood', async () => {
    const { parts, settings, recorded, stored } = await stage();
    const all = { members: true, ids: [] };
    const rules = createAdminRules({
      ...parts,
      usualRules: { watch: all, stop: all, delete: all, usage: all },
    });
    const admins = { [RULE_FORM.whoBlock]: [RULE_FORM.admins] };
    await Promise.all([
      rules.save(ada, admins, 'watch'),
      settings.save(ada, filled({ [FORM.mostBlock]: ['point'], [FORM.usualBlock]: ['point'] }), 'edit'),
      settings.save(ada, filled({ [FORM.mostBlock]: ['view'], [FORM.usualBlock]: ['view'] }), 'edit'),
      rules.save(ada, admins, 'stop'),
    ]);
    const rule = { members: false, ids: [] };
    expect(await stored()).toMatchObject({ mostPower: 'view', rules: { watch: rule, stop: rule } });
    const mostPower = recorded.flatMap(({ changes }) =>
      changes.filter(({ setting }) => setting === 'mostPower'),
    );
    expect(mostPower).toContainEqual({ setting: 'mostPower', from: 'point', to: 'view' });
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
