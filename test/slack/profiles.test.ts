import nock from 'nock';
import { describe, expect, it } from 'vitest';
import { onlyNock } from '../support/only-nock.ts';
import { directoryIn, found } from './directory-stage.ts';

onlyNock();

const slackSays = (user: object) =>
  nock('https://slack.example').post('/api/users.info').reply(200, { ok: true, user });

describe('a Slack profile', () => {
  it.each([
    ['a member', { team_id: 'T1' }, { isExternal: false, isGuest: false, isAdmin: false }],
    ['an admin', { team_id: 'T1', is_admin: true }, { isAdmin: true }],
    ['an owner', { team_id: 'T1', is_owner: true }, { isAdmin: true }],
    ['a guest', { team_id: 'T1', is_restricted: true }, { isGuest: true }],
    ['a guest of one channel', { team_id: 'T1', is_ultra_restricted: true }, { isGuest: true }],
    ['a bot', { team_id: 'T1', is_bot: true }, { isBot: true }],
    [
      'a deactivated admin',
      { team_id: 'T1', deleted: true, is_admin: true },
      { isDeactivated: true, isAdmin: false },
    ],
    ['a stranger', { team_id: 'T1', is_stranger: true }, { isExternal: true }],
    ['a person met in a shared channel', { team_id: 'T2', is_stranger: false }, { isExternal: true }],
    [
      'an admin of another organization',
      { team_id: 'T2', is_admin: true },
      { isExternal: true, isAdmin: false },
    ],
    [
      'a person of the same Enterprise organization',
      { team_id: 'T2', enterprise_user: { teams: ['T2', 'T1'] } },
      { isExternal: false },
    ],
    [
      'a person of another Enterprise organization',
      { team_id: 'T2', enterprise_user: { teams: ['T2'] } },
      { isExternal: true },
    ],
    ['somebody of whom Slack says nothing', {}, { isExternal: true }],
  ])('recognizes %s', async (_who, user, expected) => {
    slackSays(user);
    expect(await directoryIn().profileOf('T1', 'U1')).toMatchObject(expected);
  });

  const enterprise_user = { teams: ['T2', 'T1'] };
  it.each([
    ['an admin there', { team_id: 'T1', is_admin: true, enterprise_user }, true],
    ['an admin of another of its workspaces', { team_id: 'T2', is_admin: true, enterprise_user }, false],
    [
      'an admin of the organization',
      { team_id: 'T2', enterprise_user: { ...enterprise_user, is_owner: true } },
      true,
    ],
  ])('that an organization’s token asks for tells of %s', async (_who, user, isAdmin) => {
    slackSays(user);
    const { profileOf } = directoryIn({
      get: async (id) => ({ ...(await found(id)), organizationId: 'E1' }),
    });
    expect(await profileOf('T1', 'W1')).toMatchObject({ isAdmin, isExternal: false });
  });
});
