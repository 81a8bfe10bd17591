import nock from 'nock';
import { describe, expect, it } from 'vitest';
import { onlyNock } from '../support/only-nock.ts';
import { directoryIn, directoryLines } from './directory-stage.ts';

const slack = () => nock('https://slack.example').post('/api/conversations.info');
const says = (channel: object) => slack().reply(200, { ok: true, channel });

function stage() {
  const world = { time: 1_000 };
  const before = directoryLines.length;
  const { isShared } = directoryIn({ elapsed: () => world.time });
  return {
    world,
    reported: () => directoryLines.slice(before),
    ask: (channelId = 'C0SUPPORT') => isShared('T1', channelId),
  };
}

onlyNock();

describe('whether people from other organizations can read a channel', () => {
  it.each([
    ['of this workspace alone', { is_ext_shared: false }, false],
    ['that is shared', { is_ext_shared: true }, true],
    ['to which somebody is invited', { is_ext_shared: false, is_pending_ext_shared: true }, true],
    ['of which Slack does not say', { id: 'C0SUPPORT' }, 'unknown'],
  ])('is known for one %s', async (_which, channel, expected) => {
    says(channel);
    expect(await stage().ask()).toBe(expected);
  });

  it.each([
    ['while Slack can’t be asked, and asked again the next time', 'ratelimited', 1],
    // It may have got another id when it was shared.
    ['if Slack doesn’t know the channel', 'channel_not_found', 0],
  ])('is unknown %s', async (_when, error, reports) => {
    const { ask, reported } = stage();
    slack().reply(200, { ok: false, error });
    expect([await ask(), reported().length]).toEqual(['unknown', reports]);
    says({ is_ext_shared: false });
    expect(await ask()).toBe(false);
  });

  it('is known for seconds', async () => {
    const { ask, world } = stage();
    says({ is_ext_shared: true });
    for (const time of [0, 4_999]) {
      world.time = time;
      expect(await ask()).toBe(true);
    }
    says({ is_ext_shared: false });
    world.time = 5_000;
    expect(await ask()).toBe(false);
  });
});
