import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAccess, settingsForm, settingsSaved } from '../../src/admin/access.ts';
import { formModal, messageModal } from '../../src/messages/modal.ts';
import { WorkspaceSettings } from '../../src/workspaces/settings.ts';
import { workspaceSettings } from '../home/home-content.ts';
import { keepSettings } from '../support/settings-values.ts';
import { problemsIn } from '../support/shown.ts';
import { ada, openSettings, wordsOf, wrongIn } from './settings-stage.ts';

const frame = { title: 'Settings', context: '{}' };
const modalOf = (settings: WorkspaceSettings) =>
  formModal(frame, 'home_settings_form', settingsForm(settings));

describe('the form of the settings', () => {
  it('is sound with any settings, and so is what is said after it', () => {
    fc.assert(
      fc.property(workspaceSettings, (settings) => {
        const shown = [modalOf(settings), messageModal(frame, settingsSaved(settings))];
        expect(shown.flatMap((payload) => problemsIn({ surface: 'modal', payload }))).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  it('is filled in with what the settings are', () => {
    const { blocks } = modalOf(WorkspaceSettings.parse({ maxAccess: 'point', defaultAccess: 'view' }));
    const initial = blocks.flatMap((block) =>
      'element' in block && block.element.type === 'static_select'
        ? [block.element.initial_option?.value]
        : [],
    );
    expect(initial).toEqual(['point', 'view', undefined]);
  });
});

async function stage(start: Partial<WorkspaceSettings> = {}) {
  const opened = await openSettings(start);
  return { ...opened, settings: createAccess(opened.settings).form };
}

/** A form as it is filled in where nothing was changed, but for the changes. */
const filled = (changes: Readonly<Record<string, readonly string[]>> = {}) => ({
  most_power: ['full'],
  usual_power: ['full'],
  channel: [],
  channel_power: [],
  ...changes,
});

const saying = (channel: string, access: string) => filled({ channel: [channel], channel_power: [access] });

describe('saving the settings', () => {
  it('keeps the other channels, and takes one away where it is to be as elsewhere', async () => {
    const before = { C1: 'view', C2: 'point' } as const;
    const { settings, stored } = await stage({ channelAccess: before });
    for (const [form, channelAccess] of [
      [filled(), before],
      [saying('C3', 'full'), { ...before, C3: 'full' }],
      [saying('C1', 'none'), { C2: 'point', C3: 'full' }],
    ] as const) {
      await settings.save(ada, form, 'edit');
      expect((await stored()).channelAccess).toEqual(channelAccess);
    }
  });

  it('changes nothing that cannot be recorded', async () => {
    const { settings, audit, stored } = await stage();
    audit.isDown = true;
    const save = settings.save(ada, filled({ most_power: ['point'] }), 'edit');
    await expect(save).rejects.toThrow('The database failed');
    expect(await stored()).toEqual(WorkspaceSettings.parse({}));
    audit.isDown = false;
    await settings.save(ada, filled({ most_power: ['point'] }), 'edit');
    expect(await stored()).toMatchObject({ maxAccess: 'point' });
  });

  it('leaves alone what was not touched, and says who changed meanwhile what was', async () => {
    const { settings, database, recorded, stored } = await stage({ defaultAccess: 'full' });
    const opened = await settings.open(ada, 'edit');
    const seen = 'seen' in opened ? opened.seen : '';
    await keepSettings(database, 'T1', { maxAccess: 'view' });
    const untouched = await settings.save(ada, filled({ usual_power: ['point'] }), 'edit', seen);
    expect(untouched).toHaveProperty('saved');
    expect(await stored()).toMatchObject({ maxAccess: 'view', defaultAccess: 'point' });

    const answer = await settings.save(ada, filled({ most_power: ['point'] }), 'edit', seen);
    expect(answer).not.toHaveProperty('saved');
    const text = wordsOf(answer);
    expect(await stored()).toMatchObject({ maxAccess: 'view', defaultAccess: 'point' });
    expect(text).toContain('<@U0EARLIER> changed the maximum access while your form was open');
    expect(text).toContain('Maximum access: view only');
    expect(recorded).toMatchObject([{ setting: 'defaultAccess' }]);
  });
});

it('the choice of the default access is on record, for each workspace, and not above a maximum that was lowered meanwhile', async () => {
  const { settings, recorded } = await openSettings({ maxAccess: 'point' });
  const access = createAccess(settings);
  const asked = { inForce: 'point', most: 'point', isChosen: false };
  expect((await access.choose(ada, 'full')).text).toContain('another version');
  expect([await access.now('T1'), recorded]).toEqual([asked, []]);
  expect((await access.choose(ada, 'view')).text).toContain('Saved.');
  expect(await access.now('T1')).toEqual({ ...asked, inForce: 'view', isChosen: true });
  expect(await access.now('T2')).toMatchObject({ isChosen: false });
  const change = { setting: 'defaultAccess', from: 'point', to: 'view' };
  expect(recorded).toEqual([{ by: 'U0ADA', outcome: 'done', ...change }]);
});

const over = expect.stringContaining('than the maximum above: view only');
it.each([
  ['nothing, where a channel is to be as elsewhere', saying('C1', 'none'), {}],
  ['a default over the limit', filled({ most_power: ['view'] }), { usual_power: over }],
  [
    'a channel’s access over the limit',
    { ...saying('C1', 'full'), most_power: ['view'], usual_power: ['view'] },
    { channel_power: over },
  ],
  [
    'a channel alone',
    filled({ channel: ['C1'] }),
    { channel_power: 'Choose the access there, or remove the channel.' },
  ],
  [
    'a channel’s access alone',
    filled({ channel_power: ['view'] }),
    { channel: 'Choose the channel this is for.' },
  ],
])('what is wrong with filled-in settings is said beside the field: %s', async (_what, form, wrong) => {
  const { settings } = await stage();
  expect(wrongIn(settings.complaints?.(form) ?? {})).toEqual(wrong);
});
