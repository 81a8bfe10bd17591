import { describe, expect, it } from 'vitest';
import { CobrowseError } from '../../src/cobrowse/errors.ts';
import { createRecording } from '../../src/audit/recording.ts';
import type { NewEntry } from '../../src/audit/audit.ts';

const who = { workspaceId: 'T0ACME00000', userId: 'U0ALEX00001', channelId: 'C0SUPPORT01' };
const stop = { action: 'stop', visitorId: 'jane4821' } as const;

function openRecording({ isBroken = false } = {}) {
  const written: NewEntry[] = [];
  const audit = {
    record: async (entry: NewEntry) => void written.push(entry),
    async announce(entry: NewEntry) {
      if (isBroken) throw new Error('no room');
      written.push(entry);
    },
    hashOf: (typed: string) => `#${typed.length}`,
  };
  return { ...createRecording(audit), written };
}

describe('a recorded search', () => {
  it('records how many were found, and a hash of the words', async () => {
    const { search, written } = openRecording();
    const found = [{ short_id: 'a' }, { short_id: 'b' }];
    expect(await search(who, 'jane', async () => found)).toBe(found);
    expect(written).toEqual([
      { ...who, action: 'search', outcome: 'done', detail: { query: '#4', found: 2 } },
    ]);
  });

  it('names the one visitor who was found, and no agent', async () => {
    const { search, written } = openRecording();
    await search(who, 'jane', async () => [{ short_id: 'jane4821' }]);
    await search(who, 'alex', async () => [{ id: 'agent-1' }]);
    await search(who, 'nobody', async () => []);
    expect(written.map(({ visitorId, detail }) => [visitorId, detail?.['found']])).toEqual([
      ['jane4821', 1],
      [undefined, 1],
      [undefined, 0],
    ]);
  });

  it('by id is recorded as one that found one', async () => {
    const { lookUp, written } = openRecording();
    const jane = { short_id: 'jane4821' };
    expect(await lookUp(who, 'jane4821', async () => jane)).toBe(jane);
    expect(written).toEqual([
      { ...who, action: 'search', outcome: 'done', visitorId: 'jane4821', detail: { query: '#8', found: 1 } },
    ]);
  });

  it('that fails is recorded with the kind of its failure, and fails', async () => {
    const { search, written } = openRecording();
    const gone = new CobrowseError('not-found', 'gone');
    await expect(search(who, 'jane', () => Promise.reject(gone))).rejects.toBe(gone);
    await expect(search(who, 'jane', () => Promise.reject(new Error('x')))).rejects.toThrow('x');
    expect(written.map(({ outcome, detail }) => [outcome, detail])).toEqual([
      ['not-found', { query: '#4' }],
      ['failed', { query: '#4' }],
    ]);
  });
});

describe('a recorded act', () => {
  it('is recorded once it is done', async () => {
    const { around, written } = openRecording();
    expect(await around(who, stop, async () => written.length)).toBe(0);
    expect(written).toEqual([{ ...who, ...stop, outcome: 'done' }]);
  });

  it('is recorded when it fails, and fails', async () => {
    const { around, written } = openRecording();
    const busy = new CobrowseError('busy', 'later');
    await expect(around(who, stop, () => Promise.reject(busy))).rejects.toBe(busy);
    expect(written).toEqual([{ ...who, ...stop, outcome: 'busy' }]);
  });
});

describe('an announced act', () => {
  const deletion = { action: 'delete', detail: { count: 3 } } as const;

  it('is recorded before and after', async () => {
    const { announced, written } = openRecording();
    const seen = await announced(who, deletion, async () => written.map(({ outcome }) => outcome));
    expect(seen).toEqual(['asked']);
    expect(written).toEqual([
      { ...who, ...deletion, outcome: 'asked' },
      { ...who, ...deletion, outcome: 'done' },
    ]);
  });

  it('isn’t done if the audit can’t be written', async () => {
    const { announced } = openRecording({ isBroken: true });
    let isDone = false;
    const act = announced(who, deletion, async () => void (isDone = true));
    await expect(act).rejects.toThrow('no room');
    expect(isDone).toBe(false);
  });
});
