import { describe, expect, it } from 'vitest';
import { WorkspaceSettings, rulesIn, defaultAccessIn } from '../../src/workspaces/settings.ts';

const members = { members: true, ids: [] };
const admins = { members: false, ids: [] };
const usual = { watch: members, stop: members, delete: admins, usage: admins };
const rulesOf = (stored: object) => rulesIn(WorkspaceSettings.parse(stored), usual);

describe('who can do what in a workspace', () => {
  it('is as the app was configured if its admins set nothing', () => {
    expect(rulesOf({})).toEqual(usual);
  });

  it('is as its admins set it, act by act', () => {
    const watch = { members: false, ids: ['U0SAM'] };
    expect(rulesOf({ rules: { watch } })).toEqual({ ...usual, watch });
  });

  it('is admins only if the stored rule can’t be read', () => {
    expect(rulesOf({ rules: { watch: { members: 'yes' } } })).toEqual({ ...usual, watch: admins });
  });
});

describe('what Watch gives in a channel', () => {
  const settings = WorkspaceSettings.parse({
    defaultAccess: 'point',
    channelAccess: { C0SUPPORT01: 'view' },
  });

  it('is the channel’s own access, otherwise the workspace’s', () => {
    expect(defaultAccessIn(settings, 'C0SUPPORT01')).toBe('view');
    expect(defaultAccessIn(settings, 'C0SALES0002')).toBe('point');
    expect(defaultAccessIn(settings, undefined)).toBe('point');
  });

  it.each(['constructor', 'toString', '__proto__'])(
    'is the workspace’s in a channel called %s',
    (channel) => {
      expect(defaultAccessIn(settings, channel)).toBe('point');
    },
  );
});
