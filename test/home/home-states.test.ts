import { describe, expect, it } from 'vitest';
import {
  cobrowseFailureWords,
  failureMessage,
  unexpectedFailureWords,
} from '../../src/messages/failure-words.ts';
import type { SettingsNow } from '../../src/workspaces/settings.ts';
import { failedHome, homeSkeleton } from '../../src/home/home-message.ts';
import { tools } from './home-content.ts';
import { full, headings, jane, labels, problemsOf, words } from './home-pieces.ts';

describe('the Home of an admin', () => {
  const settings = {
    maxAccess: 'point' as const,
    defaultAccess: 'view' as const,
    channelAccess: { C0SALES0002: 'full' as const },
    rules: {
      watch: { members: true, ids: [] },
      stop: { members: true, ids: ['U0GUEST0004'] },
      delete: { members: false, ids: ['U0SAM000002', 'S0LEADS0001'] },
      usage: { members: false, ids: ['C0SALES0002'] },
    },
  } satisfies SettingsNow;

  it('shows the settings as they are, and a button to edit them', () => {
    const view = full({ settings });
    expect(words(view)).toContain('Maximum access: point and scroll');
    expect(words(view)).toContain('Default access: view only');
    expect(words(view)).toContain('Who can watch: members, not guests');
    expect(words(view)).toContain('Who can stop sessions: members, not guests, <@U0GUEST0004>');
    expect(words(view)).toContain('Who can delete visitors: admins, <@U0SAM000002>, ');
    expect(words(view)).toContain('Who can see usage: admins, the members of ');
    const shown = JSON.stringify(view);
    expect(shown).toContain('{"type":"channel","channel_id":"C0SALES0002"}');
    expect(shown).toContain('{"type":"usergroup","usergroup_id":"S0LEADS0001"}');
    expect(labels(view)).toEqual(['Start co-browsing', 'Refresh', 'Settings']);
  });

  it('asks for the default access before the lists until an admin chose, up to the maximum', () => {
    const asked = full({ settings, access: { inForce: 'point', most: 'point', isChosen: false } });
    expect(words(asked)).toContain('Until an admin chooses, Watch gives point and scroll.');
    expect(labels(asked)).toEqual([
      'Start co-browsing',
      'Refresh',
      'View only',
      'Keep point and scroll',
      'Settings',
    ]);
    expect(headings(asked).indexOf('Settings')).toBeLessThan(headings(asked).indexOf('Online now'));
    const chosen = full({ settings, access: { inForce: 'point', most: 'point', isChosen: true } });
    const noChoice = full({ settings, access: { inForce: 'view', most: 'view', isChosen: false } });
    for (const view of [chosen, noChoice]) expect(labels(view)).not.toContain('View only');
  });

  it('is the only one with settings', () => {
    expect(headings(full({}))).not.toContain('Settings');
    expect(labels(full({}))).not.toContain('Settings');
  });

  it('cuts long lists and says how much more there is', () => {
    const channelAccess = Object.fromEntries(
      Array.from({ length: 30 }, (_nothing, index) => [`C${index}`, 'view' as const]),
    );
    const ids = Array.from({ length: 23 }, (_nothing, index) => `U${index}`);
    const rules = { ...settings.rules, delete: { members: false, ids } };
    const text = words(full({ settings: { ...settings, channelAccess, rules } }));
    expect(text).toContain('And 10 more channels');
    expect(text).toContain('<@U19> and 3 others');
  });
});

describe('the Home while the service fails', () => {
  const unreachable = { failed: cobrowseFailureWords('unreachable') };

  it('says each failure once, with what to do, and where it is felt', () => {
    const text = words(
      full({
        you: unreachable,
        online: unreachable,
        day: unreachable,
        usage: { failed: cobrowseFailureWords('refused-key', 'no_subscription') },
      }),
    );
    expect(text.split('The app can’t reach the co-browsing service.')).toHaveLength(2);
    expect(text.split('Try again in a minute.')).toHaveLength(2);
    expect(text).toContain('Ask your account owner to renew the co-browsing subscription.');
    expect(text.split('Can’t reach the service. See the top of this tab.')).toHaveLength(4);
    expect(text).toContain('The service refused the app. See the top of this tab.');
  });

  it('keeps the parts that did not fail', () => {
    const view = full({
      usage: unreachable,
      online: { had: { busy: [], others: [jane], hasMore: false, tools } },
    });
    expect(words(view)).toContain('Jane Cooper');
    expect(labels(view)).toContain('Watch');
  });
});

describe('the Home before and beside its content', () => {
  it('is at first a skeleton with the headings to come', () => {
    const skeleton = homeSkeleton();
    expect(problemsOf(skeleton)).toEqual([]);
    expect(headings(skeleton)).toEqual(headings(full({})));
    expect(words(skeleton)).toContain('Loading from the co-browsing service');
    expect(labels(skeleton)).toEqual([]);
  });

  it('says with a reference that something unexpected happened, and lets one try again', () => {
    const view = failedHome(failureMessage(unexpectedFailureWords('1234abcd')));
    expect(problemsOf(view)).toEqual([]);
    expect(words(view)).toContain('1234abcd');
    expect(labels(view)).toEqual(['Refresh']);
  });
});
