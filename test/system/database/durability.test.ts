import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startChild } from '../../support/child.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { notesIn } from '../../database/notes.ts';
import { openUntilTestEnds } from '../../support/engines.ts';

const newPath = async () => join(await temporaryFolder(), 'store.db');

const openNotes = async (path: string) => notesIn(await openUntilTestEnds(`sqlite:${path}`));

it.each([1, 16])(
  'a process killed with SIGKILL leaves everything confirmed in the file, %d at a time',
  async (atOnce) => {
    const path = await newPath();
    const script = new URL('./processes/write-forever.ts', import.meta.url);
    const writer = startChild(script, [`sqlite:${path}`, String(atOnce)]);
    await writer.printed(400);
    writer.process.kill('SIGKILL');
    await writer.ended();
    const store = await openNotes(path);

    expect(writer.process.signalCode).toBe('SIGKILL');
    for (const key of writer.lines()) expect(await store.get(key)).toEqual({ key });
  },
);

it('a full disk refuses writes, and keeps everything confirmed', async () => {
  const path = await newPath();
  // A limit on the file's size simulates a full disk: writes beyond it fail.
  const limit = ['sh', '-c', 'ulimit -f 3000; exec "$@"', 'sh'];
  const script = new URL('./processes/write-until-refused.ts', import.meta.url);
  const writer = startChild(script, [`sqlite:${path}`], limit);
  await writer.ended();
  const [written, refused] = ['written ', 'refused '].map((word) =>
    writer.lines().flatMap((line) => (line.startsWith(word) ? [line.slice(word.length)] : [])),
  );

  expect(written?.length).toBeGreaterThan(0);
  expect(refused?.length).toBeGreaterThan(0);
  expect(new Set(await (await openNotes(path)).keys())).toEqual(new Set(written));
});
