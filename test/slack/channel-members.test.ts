import nock from 'nock';
import { afterEach, describe, expect, it } from 'vitest';
import { onlyNock } from '../support/only-nock.ts';
import { directoryIn, directoryLines } from './directory-stage.ts';

onlyNock();

/** Answers one call, only with these arguments if any are given. */
const slack = (args?: Readonly<Record<string, string>>) =>
  nock('https://slack.example').post('/api/conversations.members', args);
const ask = () => directoryIn().isInChannel('T1', 'U0SAM', 'C0SUPPORT');

/** A page of other members, and where the next one starts. */
const page = (cursor: string, members: readonly string[] = ['U0ALEX']) => ({
  ok: true,
  members,
  response_metadata: { next_cursor: cursor },
});

afterEach(() => {
  const left = nock.pendingMocks();
  nock.cleanAll();
  if (left.length > 0) throw new Error(`Slack was not asked: ${left.join(', ')}`);
});

describe('whether a user is in a channel', () => {
  it('is looked for in its members, as many at a time as Slack gives, only until it is found', async () => {
    slack({ channel: 'C0SUPPORT', limit: '999' }).reply(200, page('second'));
    slack({ channel: 'C0SUPPORT', limit: '999', cursor: 'second' }).reply(200, page('third', ['U0SAM']));
    expect(await ask()).toBe(true);
  });

  it('is asked for by the id that the channel has now', async () => {
    const { isInChannel } = directoryIn({ currentChannelId: async () => 'C0NEW' });
    slack({ channel: 'C0NEW', limit: '999' }).reply(200, page('', ['U0SAM']));
    expect(await isInChannel('T1', 'U0SAM', 'C0SUPPORT')).toBe(true);
  });

  it('is unknown for a channel with more members than we read', async () => {
    slack().times(5).reply(200, page('more'));
    expect(await ask()).toBeUndefined();
    expect(directoryLines.at(-1)).toMatch(
      /"workspaceId":"T1","channelId":"C0SUPPORT","why":"too_many_members"/,
    );
  });

  it.each(['channel_not_found', 'not_in_channel', 'method_not_supported_for_channel_type'])(
    'is not known where Slack answers %s, and the log says so',
    async (error) => {
      slack().reply(200, { ok: false, error });
      expect(await ask()).toBeUndefined();
      expect(directoryLines.at(-1)).toContain(`"channelId":"C0SUPPORT","why":"${error}"`);
    },
  );

  it.each(['fetch_members_failed', 'internal_error', 'ratelimited', 'access_denied', 'no_permission'])(
    'cannot be asked where Slack answers %s',
    async (error) => {
      slack().reply(200, { ok: false, error });
      await expect(ask()).rejects.toThrow(error);
    },
  );

  it('is known for as long as whoever grants nothing by it says, until somebody joins or leaves', async () => {
    let time = 0;
    const { isInChannel, forget } = directoryIn({ elapsed: () => time });
    const isIn = (maxAgeMs?: number) => isInChannel('T1', 'U0ALEX', 'C0SUPPORT', maxAgeMs);
    slack().reply(200, page(''));
    expect(await isIn()).toBe(true);
    time = 59_000;
    expect(await isIn(60_000)).toBe(true);
    slack().reply(200, page('', []));
    expect(await isIn()).toBe(false);
    forget.channel('T1', 'C0SUPPORT');
    slack().reply(200, page(''));
    expect(await isIn(60_000)).toBe(true);
  });
});
