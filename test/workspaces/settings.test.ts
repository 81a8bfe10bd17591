import { expect, it } from 'vitest';
import { WorkspaceSettings, rulesIn, defaultAccessIn } from '../../src/workspaces/settings.ts';

const members = { members: true, ids: [] };
const admins = { members: false, ids: [] };
const usual = { watch: members, stop: members, delete: admins, usage: admins };

it.each([
  ['a rule that can’t be read', { members: 'yes' }, admins],
  ['their own rule', { members: false, ids: ['U0SAM'] }, { members: false, ids: ['U0SAM'] }],
])(
  'who can do what in a workspace is, by %s of its admins, what it says, otherwise as usual',
  (_what, stored, watch) => {
    expect(rulesIn(WorkspaceSettings.parse({ rules: { watch: stored } }), usual)).toEqual({
      ...usual,
      watch,
    });
  },
);

it.each(['C0SALES0002', undefined, 'constructor', 'toString', '__proto__'])(
  'what Watch gives in the channel %s, which has no access of its own, is the workspace’s',
  (channel) => {
    const settings = WorkspaceSettings.parse({
      defaultAccess: 'point',
      channelAccess: { C0SUPPORT01: 'view' },
    });
    expect(defaultAccessIn(settings, channel)).toBe('point');
  },
);
