import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../src/database/open.ts';
import { startChild } from '../support/child.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { notesIn } from './notes.ts';

async function newPath(): Promise<string> {
  return join(await temporaryFolder(), 'store.db');
}

async function openNotes(path: string): Promise<ReturnType<typeof notesIn>> {
  const database = await openDatabase(`sqlite:${path}`);
  onTestFinished(() => database.close());
  return notesIn(database);
}

describe('a process killed with SIGKILL', () => {
  it.each([1, 16])('leaves everything confirmed in the file, %d at a time', async (atOnce) => {
    const path = await newPath();
    const writer = startChild(new URL('./processes/write-forever.ts', import.meta.url), [
      `sqlite:${path}`,
      String(atOnce),
    ]);
    await writer.printed(400);
    writer.process.kill('SIGKILL');
    await writer.ended();
    const store = await openNotes(path);

    expect(writer.process.signalCode).toBe('SIGKILL');
    for (const key of writer.lines()) expect(await store.get(key)).toEqual({ key });
  });
});

describe('a full disk', () => {
  it('refuses whole groups, and keeps everything confirmed', async () => {
    const path = await newPath();
    // A limit on the file's size simulates a full disk: writes beyond it fail.
    const limit = ['sh', '-c', 'ulimit -f 3000; exec "$@"', 'sh'];
    const writer = startChild(
      new URL('./processes/write-until-refused.ts', import.meta.url),
      [`sqlite:${path}`],
      limit,
    );
    await writer.ended();
    const [written, refused] = ['written ', 'refused '].map((word) =>
      writer.lines().flatMap((line) => (line.startsWith(word) ? [line.slice(word.length)] : [])),
    );
    const store = await openNotes(path);
    const kept = await store.keys();

    expect(written?.length).toBeGreaterThan(0);
    expect(refused).toHaveLength(20);
    expect(new Set(kept)).toEqual(new Set(written));
  });
});

async function holdLock(path: string) {
  const holder = startChild(new URL('./processes/hold-lock.ts', import.meta.url), [path]);
  await holder.printed(1);
  return holder;
}
/** Long enough to find the lock. What waits for it does so for two and a half seconds, and no longer. */
const findIt = () => new Promise((resolve) => setTimeout(resolve, 100));

describe('a file that another process is writing to', () => {
  it('is waited for even when it is new', async () => {
    const path = await newPath();
    const holder = await holdLock(path);
    const opening = openNotes(path);
    await findIt();
    holder.process.stdin.end();
    const store = await opening;
    await store.set('a', 1);

    expect(await store.get('a')).toBe(1);
  });
});
