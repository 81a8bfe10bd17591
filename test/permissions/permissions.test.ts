import { describe, expect, it } from 'vitest';
import { DatabaseError } from '../../src/database/database.ts';
import {
  ACTS,
  createPermissions,
  type Refusal,
  type Rule,
  type Membership,
} from '../../src/permissions/permissions.ts';

const SAM = 'U0SAM000002';
const LEADS = 'S0LEADS0001';
const SUPPORT = 'C0SUPPORT01';
const here = { workspaceId: 'T1', userId: SAM, channelId: SUPPORT };
const member: Membership = {
  isDeactivated: false,
  isBot: false,
  isExternal: false,
  isGuest: false,
  isAdmin: false,
};
const members: Rule = { members: true, ids: [] };
const admins: Rule = { members: false, ids: [] };
const gone = { isDeactivated: true };
const named = (...ids: readonly string[]): Rule => ({ members: false, ids: [...ids] });

interface World {
  readonly rule?: Rule;
  readonly membership?: Partial<Membership>;
  readonly groups?: readonly string[];
  /** The channels the person is in; undefined: Slack doesn't show it. */
  readonly channels?: readonly string[];
  /** Where the person acts. */
  readonly channelId?: string | undefined;
}

type Parts = Parameters<typeof createPermissions>[0];

function rightsIn(
  { rule = members, membership = {}, groups = [], channels = [SUPPORT] }: World,
  instead: Partial<Parts> = {},
) {
  const asked: string[] = [];
  const isInChannel: Parts['isInChannel'] = async (_, __, channelId) => {
    asked.push(channelId);
    return /^D|^C0HIDDEN/.test(channelId) ? undefined : channels.includes(channelId);
  };
  const permissions = createPermissions({
    async profileOf() {
      asked.push('membership');
      return { ...member, ...membership };
    },
    async isInGroup(_workspaceId, _userId, groupId) {
      asked.push(groupId);
      return groups.includes(groupId);
    },
    isInChannel,
    settingsOf: async () => ({ rules: { watch: rule, stop: admins, delete: admins, usage: admins } }),
    ...instead,
  });
  return { ...permissions, asked };
}

const no = (why: Refusal) => ({ allowed: false, why });
const yes = { allowed: true };

describe('the permission to do something', () => {
  it.each<[string, World, object]>([
    ['a member, where members may', {}, yes],
    ['an admin, where only admins may', { rule: admins, membership: { isAdmin: true } }, yes],
    ['a member, where only admins may', { rule: admins }, no('not-named')],
    ['a guest, where members may', { membership: { isGuest: true } }, no('guest')],
    ['a guest, where only admins may', { rule: admins, membership: { isGuest: true } }, no('guest')],
    ['a member who is named', { rule: named(SAM) }, yes],
    ['a guest who is named', { rule: named(SAM), membership: { isGuest: true } }, yes],
    ['a member of a named group', { rule: named(LEADS), groups: [LEADS] }, yes],
    ['a guest in a named group', { rule: named(LEADS), groups: [LEADS], membership: { isGuest: true } }, yes],
    ['a member outside of the named group', { rule: named(LEADS) }, no('not-named')],
    ['a member of one of several groups', { rule: named('S0OTHER', LEADS), groups: [LEADS] }, yes],
    ['a member of a named channel', { rule: named(SUPPORT) }, yes],
    ['a member outside of the named channel', { rule: named('C0SALES') }, no('not-named')],
    ['a guest in a named channel', { rule: named(SUPPORT), membership: { isGuest: true } }, no('guest')],
    ['a member, where Slack hides the named channel', { rule: named('C0HIDDEN1') }, no('not-named')],
    ['a deactivated admin', { membership: { isAdmin: true, isDeactivated: true } }, no('deactivated')],
    ['a deactivated user who is named', { rule: named(SAM), membership: gone }, no('deactivated')],
    ['a bot that is named', { rule: named(SAM), membership: { isBot: true } }, no('bot')],
    ['a person of another organization', { membership: { isExternal: true } }, no('external')],
    ['one who is named all the same', { rule: named(SAM), membership: { isExternal: true } }, no('external')],
    ['a member who left the channel', { channels: [] }, no('left-channel')],
    ['an admin who left the channel', { channels: [], membership: { isAdmin: true } }, no('left-channel')],
    ['a deactivated user, no more in it', { channels: [], membership: gone }, no('deactivated')],
    ['a member in a direct message', { channels: [], channelId: 'D0DIRECT001' }, yes],
    ['a member in no channel', { channels: [], channelId: undefined }, yes],
    ['a member in a channel that Slack hides from the app', { channels: [], channelId: 'C0HIDDEN2' }, yes],
  ])('of %s', async (_who, world, verdict) => {
    const { channelId } = { ...here, ...world };
    expect(await rightsIn(world).mayAct('watch', { ...here, channelId })).toEqual(verdict);
  });

  it('depends on the rule for that act', async () => {
    const { mayAct } = rightsIn({});
    const verdicts = await Promise.all(ACTS.map((act) => mayAct(act, here)));
    expect(verdicts).toEqual([yes, no('not-named'), no('not-named'), no('not-named')]);
  });

  it('asks Slack anew each time, and for no more than needed', async () => {
    const { mayAct, asked } = rightsIn({ rule: named(SAM, LEADS) });
    await mayAct('watch', here);
    await mayAct('watch', here);
    expect(asked.toSorted()).toEqual([SUPPORT, SUPPORT, 'membership', 'membership']);
  });

  it.each([
    ['profileOf', new Error('Slack is down'), false],
    ['isInGroup', new Error('Slack is down'), false],
    ['isInChannel', new Error('Slack is down'), false],
    ['settingsOf', new DatabaseError('locked'), true],
  ] as const)('is nobody’s where %s fails, and that is said', async (part, cause, isUnread) => {
    const { mayAct } = rightsIn({ rule: named(LEADS) }, { [part]: () => Promise.reject(cause) });
    await expect(mayAct('watch', here)).rejects.toMatchObject({
      name: 'RightUnknownError',
      cause,
      isUnread,
    });
  });
});
