import { describe, expect, it } from 'vitest';
import { CobrowseError } from '../../src/cobrowse/errors.ts';
import { parseWatchLink } from '../../src/cobrowse/watch-link.ts';
import { DatabaseError } from '../../src/database/errors.ts';
import { aPress, order, unexpected } from './stage.ts';

const endDoubleTap = () => Promise.reject(new DatabaseError('unreachable'));

describe('a press that is answered in Slack, where the database fails once the answer is there', () => {
  it('brings a link that was made', async () => {
    const link = parseWatchLink('https://service.example/watch/fresh');
    const issueLink = async () => link;
    const answer = await aPress('answer', { endDoubleTap }, { issueLink });
    expect(answer?.text).toBe('https://service.example/watch/fresh');
  });

  it('says why no link was made', async () => {
    const busy = new CobrowseError('busy', 'busy');
    const issueLink = () => Promise.reject(busy);
    await expect(aPress('answer', { endDoubleTap }, { issueLink })).rejects.toBe(busy);
  });
});

it('forgets that somebody’s Slack loses presses, which was suspected since that was read', async () => {
  const forgotten: unknown[] = [];
  await aPress(
    'address',
    { record: async () => ({ isClaimed: true, isGivenUp: true }) },
    { lostPresses: { confirm: unexpected, forget: async ({ userId }) => void forgotten.push(userId) } },
  );
  expect(forgotten).toEqual([order.userId]);
});
