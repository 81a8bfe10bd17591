import { WebClient } from '@slack/web-api';
import nock from 'nock';
import { afterEach, describe, expect, it } from 'vitest';
import { cachedNames, createDirectory } from '../../src/slack/directory.ts';
import { createSlackAgent, webClientOptions } from '../../src/workspaces/web-client.ts';
import { keptLog } from '../support/checked-sandbox.ts';
import { onlyNock } from '../support/only-nock.ts';

onlyNock();

afterEach(() => {
  const left = nock.pendingMocks();
  nock.cleanAll();
  if (left.length > 0) throw new Error(`Slack was not asked: ${left.join(', ')}`);
});

const { log, lines } = keptLog();
const access = { apiUrl: 'https://slack.example/api/', slackAgent: createSlackAgent(), log };
const slack = new WebClient('none', webClientOptions(access));
const found = async (workspaceId: string) => ({
  id: workspaceId,
  slack,
  installedAs: async () => ({ workspaceId, botId: 'B1', botUserId: 'U1' }),
});

/** What the app knows of T1's people and channels. */
const directoryIn = (more: Partial<Parameters<typeof createDirectory>[0]> = {}) =>
  createDirectory({
    find: found,
    get: found,
    currentChannelId: async (_workspaceId, channelId) => channelId,
    elapsed: () => 0,
    log,
    ...more,
  });

/** Slack's answer to the next call, only with these arguments if any are given. */
const says = (method: string, answer: object, args?: Readonly<Record<string, string>>) =>
  nock('https://slack.example')
    .post(`/api/${method}`, args)
    .reply(200, { ok: true, ...answer });
const refuses = (method: string, error: string) => says(method, { ok: false, error });

const profileIn = (user: object) => {
  says('users.info', { user: { id: 'U1', name: 'ada', ...user } });
  return directoryIn().profileOf('T1', 'U1');
};
const team_id = 'T1';
const admin = { team_id, is_admin: true };
/** Whose own workspace is another one, of an organization that has these. */
const ofTeams = (...teams: readonly string[]) => ({ team_id: 'T2', enterprise_user: { teams } });

describe('a Slack profile', () => {
  it.each([
    ['a member', { team_id }, { isExternal: false, isGuest: false, isAdmin: false }],
    ['an admin', admin, { isAdmin: true }],
    ['an owner', { team_id, is_owner: true }, { isAdmin: true }],
    ['a guest', { team_id, is_restricted: true }, { isGuest: true }],
    ['a guest of one channel', { team_id, is_ultra_restricted: true }, { isGuest: true }],
    ['a bot', { team_id, is_bot: true }, { isBot: true }],
    ['a deactivated admin', { ...admin, deleted: true }, { isDeactivated: true, isAdmin: false }],
    ['a stranger', { team_id, is_stranger: true }, { isExternal: true }],
    ['a person met in a shared channel', { team_id: 'T2', is_stranger: false }, { isExternal: true }],
    ['an admin of another organization', { ...admin, team_id: 'T2' }, { isExternal: true, isAdmin: false }],
    ['a person of the same Enterprise organization', ofTeams('T2', 'T1'), { isExternal: false }],
    ['a person of another Enterprise organization', ofTeams('T2'), { isExternal: true }],
    ['somebody of whom Slack says nothing', {}, { isExternal: true }],
    ['somebody without a team', { team_id: null }, { isExternal: true }],
    [
      'somebody without a role',
      { team_id, is_admin: null, is_restricted: null, enterprise_user: null },
      { isAdmin: false, isGuest: false },
    ],
    ['somebody without a profile', { team_id }, { name: 'ada', isExternal: false }],
    ['one whose profile is null', { team_id, profile: null }, { name: 'ada', email: undefined }],
    [
      'one with no email',
      { profile: { display_name: 'Ada', email: null } },
      { name: 'Ada', email: undefined },
    ],
    ['one with no display name', { real_name: 'Ada L', profile: { display_name: null } }, { name: 'Ada L' }],
    [
      'one without any name but the login',
      { real_name: null, profile: { display_name: null, real_name: null } },
      { name: 'ada' },
    ],
    ['one with no time zone or locale', { tz: null, tz_offset: null, locale: null }, { utcOffsetSeconds: 0 }],
  ])('recognizes %s', async (_who, user, expected) => {
    expect(await profileIn(user)).toMatchObject(expected);
  });

  const elsewhere = ofTeams('T2', 'T1');
  const owner = { ...elsewhere, enterprise_user: { ...elsewhere.enterprise_user, is_owner: true } };
  it.each([
    ['an admin there', { ...elsewhere, ...admin }, true],
    ['an admin of another of its workspaces', { ...admin, ...elsewhere }, false],
    ['an admin of the organization', owner, true],
  ])('that an organization’s token asks for tells of %s', async (_who, user, isAdmin) => {
    says('users.info', { user });
    const { profileOf } = directoryIn({
      get: async (id) => ({ ...(await found(id)), organizationId: 'E1' }),
    });
    expect(await profileOf('T1', 'W1')).toMatchObject({ isAdmin, isExternal: false });
  });

  it.each(['user_not_found', 'user_not_visible'])('is from outside where Slack says %s', async (error) => {
    refuses('users.info', error);
    expect(await directoryIn().profileOf('T1', 'U1')).toMatchObject({ isExternal: true, isAdmin: false });
  });

  it('isn’t believed to be no guest’s where Slack says something else than yes or no', async () => {
    await expect(profileIn({ is_restricted: 'true' })).rejects.toThrow('is_restricted');
  });

  it.each(['USLACKBOT', 'USLACK'])('of Slack itself is a bot’s: %s', async (id) => {
    expect(await directoryIn().profileOf('T1', id)).toMatchObject({ isBot: true });
  });
});

/** A page of members, and where the next one starts. */
const page = (cursor: string, members: readonly string[] = ['U0ALEX']) => ({
  members,
  response_metadata: { next_cursor: cursor },
});
const askMembers = () => directoryIn().isInChannel('T1', 'U0SAM', 'C0SUPPORT');

describe('whether a user is in a channel', () => {
  const members = 'conversations.members';

  it('is looked for in its members, as many at a time as Slack gives, only until it is found', async () => {
    says(members, page('second'), { channel: 'C0SUPPORT', limit: '999' });
    says(members, page('third', ['U0SAM']), { channel: 'C0SUPPORT', limit: '999', cursor: 'second' });
    expect(await askMembers()).toBe(true);
  });

  it('is asked for once, as the profile is, by all who press in the same moment', async () => {
    const { isInChannel, profileOf } = directoryIn();
    for (const cursor of ['second', 'third', 'fourth', 'fifth']) says(members, page(cursor));
    says(members, page('', ['U0SAM']));
    says('users.info', { user: { team_id } });
    const presses = Array.from({ length: 20 }, async () => [
      await isInChannel('T1', 'U0SAM', 'C0SUPPORT'),
      (await profileOf('T1', 'U0SAM')).isExternal,
    ]);
    expect(await Promise.all(presses)).toEqual(presses.map(() => [true, false]));
  });

  it('is asked for by the id that the channel has now', async () => {
    const { isInChannel } = directoryIn({ currentChannelId: async () => 'C0NEW' });
    says(members, page('', ['U0SAM']), { channel: 'C0NEW', limit: '999' });
    expect(await isInChannel('T1', 'U0SAM', 'C0SUPPORT')).toBe(true);
  });

  it('is unknown for a channel with more members than we read', async () => {
    for (let read = 0; read < 5; read += 1) says(members, page('more'));
    expect(await askMembers()).toBeUndefined();
    expect(lines.at(-1)).toMatch(/"workspaceId":"T1","channelId":"C0SUPPORT","why":"too_many_members"/);
  });

  it.each(['channel_not_found', 'not_in_channel', 'method_not_supported_for_channel_type'])(
    'is not known where Slack answers %s, and the log says so',
    async (error) => {
      refuses(members, error);
      expect(await askMembers()).toBeUndefined();
      expect(lines.at(-1)).toContain(`"channelId":"C0SUPPORT","why":"${error}"`);
    },
  );

  it.each(['fetch_members_failed', 'internal_error', 'ratelimited', 'access_denied', 'no_permission'])(
    'cannot be asked where Slack answers %s',
    async (error) => {
      refuses(members, error);
      await expect(askMembers()).rejects.toThrow(error);
    },
  );

  it('isn’t no because of a null', async () => {
    says(members, { members: null });
    await expect(askMembers()).rejects.toThrow('members');
    says(members, { members: ['U0SAM'], response_metadata: null });
    expect(await askMembers()).toBe(true);
  });

  it('is known for as long as whoever grants nothing by it says, until somebody joins or leaves', async () => {
    let time = 0;
    const { isInChannel, forget } = directoryIn({ elapsed: () => time });
    const isIn = (maxAgeMs?: number) => isInChannel('T1', 'U0ALEX', 'C0SUPPORT', maxAgeMs);
    says(members, page(''));
    expect(await isIn()).toBe(true);
    time = 59_000;
    expect(await isIn(60_000)).toBe(true);
    says(members, page('', []));
    expect(await isIn()).toBe(false);
    forget.channel('T1', 'C0SUPPORT');
    says(members, page(''));
    expect(await isIn(60_000)).toBe(true);
  });
});

describe('whether people from other organizations can read a channel', () => {
  const info = 'conversations.info';

  it.each([
    ['of this workspace alone', { is_ext_shared: false }, false],
    ['that is shared', { is_ext_shared: true }, true],
    ['to which somebody is invited', { is_ext_shared: false, is_pending_ext_shared: true }, true],
    ['of which Slack does not say', { id: 'C0SUPPORT' }, 'unknown'],
    ['of which Slack says nothing', null, 'unknown'],
  ])('is known for one %s', async (_which, channel, expected) => {
    says(info, { channel });
    expect(await directoryIn().isShared('T1', 'C0SUPPORT')).toBe(expected);
  });

  it.each([
    ['while Slack can’t be asked, and asked again the next time', 'ratelimited', 1],
    // It may have got another id when it was shared.
    ['if Slack doesn’t know the channel', 'channel_not_found', 0],
  ])('is unknown %s', async (_when, error, reports) => {
    const before = lines.length;
    const { isShared } = directoryIn();
    refuses(info, error);
    expect([await isShared('T1', 'C0SUPPORT'), lines.length - before]).toEqual(['unknown', reports]);
    says(info, { channel: { is_ext_shared: false } });
    expect(await isShared('T1', 'C0SUPPORT')).toBe(false);
  });

  it('is known for seconds, or until something changes there', async () => {
    let time = 0;
    const { isShared, forget } = directoryIn({ elapsed: () => time });
    says(info, { channel: { is_ext_shared: true } });
    for (time of [0, 4_999]) expect(await isShared('T1', 'C0SUPPORT')).toBe(true);
    says(info, { channel: { is_ext_shared: false } });
    time = 5_000;
    expect(await isShared('T1', 'C0SUPPORT')).toBe(false);
    forget.channel('T1', 'C0SUPPORT');
    says(info, { channel: { is_ext_shared: true } });
    expect(await isShared('T1', 'C0SUPPORT')).toBe(true);
  });

  it('is for a minute what Slack said last, where it limits the app or fails', async () => {
    let time = 0;
    const { isShared } = directoryIn({ elapsed: () => time });
    says(info, { channel: { is_ext_shared: false } });
    expect(await isShared('T1', 'C0SUPPORT')).toBe(false);
    for (const [at, expected] of [
      [59_999, false],
      [60_000, 'unknown'],
    ] as const) {
      refuses(info, 'ratelimited');
      time = at;
      expect(await isShared('T1', 'C0SUPPORT')).toBe(expected);
    }
  });
});

it('a group of which Slack says nothing has nobody in it', async () => {
  says('usergroups.users.list', { users: null });
  expect(await directoryIn().isInGroup('T1', 'U1', 'S1')).toBe(false);
});

it('what Slack said is out of reach once everything of the workspace was removed, also where it’s installed again', async () => {
  const world = { installId: 'first', isInstalled: true, asked: 0 };
  const find = async () => (world.isInstalled ? { installId: world.installId } : undefined);
  const kept = cachedNames<string>(find, () => 0, 100);
  const nameIn = (workspaceId: string) =>
    kept(workspaceId, 'U1', async () => `Sam, the ${(world.asked += 1)}`);
  for (const _time of [1, 2]) expect(await nameIn('T1')).toBe('Sam, the 1');
  expect(await nameIn('T2')).toBe('Sam, the 2');
  world.isInstalled = false;
  expect(await nameIn('T1')).toBeUndefined();
  Object.assign(world, { isInstalled: true, installId: 'second' });
  expect(await nameIn('T1')).toBe('Sam, the 3');
});
