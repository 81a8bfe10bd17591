import { describe, expect, it } from 'vitest';
import { CobrowseError } from '../../src/cobrowse/errors.ts';
import { parseWatchLink } from '../../src/cobrowse/watch-link.ts';
import { DatabaseError } from '../../src/database/errors.ts';
import type { PressRefusal } from '../../src/watch/press-refusals.ts';
import { SAM } from '../support/person.ts';
import { aPress, allowed, order, unexpected } from './stage.ts';

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

describe('a press of a button with an address', () => {
  it.each([
    ['forgets what was known of who pressed', { losesPresses: true, isGivenUp: false }, 1],
    ['forgets what was suspected since that was read', { losesPresses: false, isGivenUp: true }, 1],
    ['costs nothing where nothing is known', { losesPresses: false, isGivenUp: false }, 0],
  ])('%s', async (_, { losesPresses, isGivenUp }, times) => {
    const forgotten: unknown[] = [];
    await aPress(
      'address',
      { record: async () => ({ isClaimed: true, isGivenUp }) },
      {
        authorize: {
          watch: async (request) => ({ allowed: { ...allowed(request), losesPresses } }),
          refuse: unexpected,
        },
        lostPresses: { confirm: unexpected, forget: async ({ userId }) => void forgotten.push(userId) },
      },
    );
    expect(forgotten).toEqual(Array.from({ length: times }, () => order.userId));
  });
});

const neverClaimed = async () => ({ isClaimed: false, isGivenUp: false });
const lostPresses = { confirm: unexpected, forget: async () => undefined };

describe('a press of a button that was drawn for somebody else', () => {
  it.each(['address', 'answer'] as const)('is refused, on record, by its %s', async (by) => {
    const refusals: string[] = [];
    const authorize = {
      watch: unexpected,
      async refuse(_request: unknown, refused: PressRefusal) {
        refusals.push(refused);
        return { refused };
      },
    };
    const answer = await aPress(by, { record: neverClaimed }, { authorize, lostPresses }, SAM);
    expect(answer?.text).toContain('This button was made for someone else.');
    expect(refusals).toEqual(['someone-else']);
  });
});
