import { describe, expect, it } from 'vitest';
import { Secret, createDataKeys, openSecret, sealSecret } from '../../src/workspaces/data-keys.ts';
import { SEALING_KEY } from '../support/settings.ts';

const here = { workspaceId: 'T1', column: 'workspaces.bot_token' } as const;

describe('a sealed secret', () => {
  const keys = createDataKeys([SEALING_KEY]);
  const key = keys.create();
  const sealed = sealSecret(key, here, new Secret('topsecret'));

  it('is opened in its place', () => {
    expect(openSecret(key, here, sealed)?.reveal()).toBe('topsecret');
  });

  it.each([
    ['another workspace', { ...here, workspaceId: 'T2' }],
    ['another column', { ...here, column: 'service_accounts.api_key' }],
  ] as const)('isn’t opened in %s, with its own key neither', (_where, place) => {
    expect(openSecret(key, place, sealed)).toBeUndefined();
  });

  it('isn’t opened with the key of another workspace, nor is that key in its place', () => {
    expect(openSecret(keys.create(), here, sealed)).toBeUndefined();
    expect(keys.openKey('T1', keys.sealKey('T1', key))?.equals(key)).toBe(true);
    expect(keys.openKey('T2', keys.sealKey('T1', key))).toBeUndefined();
  });
});
