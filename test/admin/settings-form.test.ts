import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ACCESS_LEVELS } from '../../src/permissions/access.ts';
import { WorkspaceSettings } from '../../src/workspaces/settings.ts';
import { adminsOnly, settingsSaved } from '../../src/admin/settings-list.ts';
import { settingsForm } from '../../src/admin/access-form.ts';
import { formModal, messageModal } from '../../src/messages/modal.ts';
import { problemsIn } from '../support/shown.ts';
import { workspaceSettings } from '../home/home-content.ts';

const frame = { title: 'Settings', context: '{}' };
const modalOf = (settings: WorkspaceSettings) =>
  formModal(frame, 'home_settings_form', settingsForm(settings, ACCESS_LEVELS));

describe('the form of the settings', () => {
  it('is sound with any settings, and so is what is said after it', () => {
    fc.assert(
      fc.property(workspaceSettings, (settings) => {
        const shown = [modalOf(settings), messageModal(frame, settingsSaved(settings))];
        expect(shown.flatMap((payload) => problemsIn({ surface: 'modal', payload }))).toEqual([]);
      }),
      { numRuns: 200 },
    );
    const refused = messageModal(frame, adminsOnly());
    expect(problemsIn({ surface: 'modal', payload: refused })).toEqual([]);
  });

  it('is filled in with what the settings are', () => {
    const settings = WorkspaceSettings.parse({
      maxAccess: 'point',
      defaultAccess: 'view',
    });
    const shown = JSON.stringify(modalOf(settings));
    expect(shown).toContain(
      '"initial_option":{"text":{"type":"plain_text","text":"Point and scroll","emoji":false},"description":{"type":"plain_text","text":"Agents also point and scroll. The customer clicks.","emoji":false},"value":"point"}',
    );
    expect(shown).toContain(
      '"initial_option":{"text":{"type":"plain_text","text":"View only","emoji":false},"description":{"type":"plain_text","text":"Agents see the page. Only the customer acts.","emoji":false},"value":"view"}',
    );
  });

  it('needs nothing but the two accessLevels', () => {
    const { blocks } = modalOf(WorkspaceSettings.parse({}));
    const needed = blocks.flatMap((block) =>
      block.type === 'input' && 'optional' in block ? [!block.optional] : [],
    );
    expect(needed).toEqual([true, true, false, false]);
  });
});
