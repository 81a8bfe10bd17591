import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createBulkDelete } from '../../../sandbox/service/bulk-delete.ts';
import { createWorld, setOnline } from '../../../sandbox/service/world.ts';

const seed = [
  { short_id: 'first', lastSeenMinutesAgo: 1 },
  { short_id: 'second', lastSeenMinutesAgo: 2 },
  { short_id: 'third', lastSeenMinutesAgo: 3 },
];

function world() {
  return createWorld({
    now: () => new Date(),
    randomId: () => 'id',
    seed,
    past: [],
    watchLinkLifetimeMs: 1,
    watchPath: '/watch',
    sessionLimit: 1,
    deadlinesMs: { idle: 1, 'visitor-gone': 1, 'page-closed': 1, 'page-lost': 1 },
    onEnd: () => {},
    onForget: () => {},
  });
}

const left = (there: ReturnType<typeof world>) =>
  there.visitors.latest().map((visitor) => visitor.fields.short_id);

describe('the deletion of all who are offline', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('deletes one visitor after the other', () => {
    const there = world();
    const bulkDelete = createBulkDelete(there, 100);
    bulkDelete.start();
    expect(left(there)).toEqual(['first', 'second', 'third']);
    vi.advanceTimersByTime(100);
    expect(left(there)).toEqual(['second', 'third']);
    vi.advanceTimersByTime(200);
    expect(left(there)).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('keeps whoever comes online before their turn', () => {
    const there = world();
    createBulkDelete(there, 100).start();
    setOnline(there, 'second', true);
    vi.advanceTimersByTime(1_000);
    expect(left(there)).toEqual(['second']);
  });

  it('ends when the stand-in is closed', () => {
    const there = world();
    const bulkDelete = createBulkDelete(there, 100);
    bulkDelete.start();
    bulkDelete.stop();
    vi.advanceTimersByTime(1_000);
    expect(left(there)).toHaveLength(3);
  });
});
