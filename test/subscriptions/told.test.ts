import { describe, expect, it } from 'vitest';
import { createTellAndWrite } from '../../src/subscriptions/announce.ts';
import type { Announced } from '../../src/subscriptions/announce.ts';
import { notice } from '../../src/messages/message.ts';

const words = {
  begun: notice(['is setting up']),
  done: notice(['set up']),
  unsure: notice(['tried to set up']),
};

/** A channel that has one post, or refuses it. */
function channelWith(refused?: Announced) {
  const channel: { says: string | undefined } = { says: undefined };
  const tellAndWrite = createTellAndWrite(async (_workspaceId, _to, { text }, replaces) => {
    expect(replaces).toBe(channel.says === undefined ? undefined : '1.1');
    if (refused !== undefined) return refused;
    channel.says = text;
    return { outcome: 'posted', ts: '1.1' };
  });
  return {
    channel,
    write: (work: () => Promise<string | undefined>) => tellAndWrite(['T1', 'C1'], words, work),
  };
}

describe('what a channel is told of a write', () => {
  it('is first that it is under way, and only then that it is done', async () => {
    const { channel, write } = channelWith();
    const told = await write(async () => {
      expect(channel.says).toBe('is setting up');
      return 'written';
    });
    expect(told).toEqual({ written: 'written' });
    expect(channel.says).toBe('set up');
  });

  it('is nothing more than was tried where nothing was written, or nobody knows', async () => {
    const { channel, write } = channelWith();
    expect(await write(async () => undefined)).toEqual({ written: undefined });
    expect(channel.says).toBe('tried to set up');
    const failing = channelWith();
    await expect(failing.write(() => Promise.reject(new Error('no database')))).rejects.toThrow(
      'no database',
    );
    expect(failing.channel.says).toBe('tried to set up');
  });

  it('decides: where it accepts no post, nothing is written', async () => {
    const refused = { outcome: 'never', reason: 'not_in_channel' } as const;
    const { write } = channelWith(refused);
    expect(await write(() => Promise.reject(new Error('written')))).toEqual({ refused });
  });
});
