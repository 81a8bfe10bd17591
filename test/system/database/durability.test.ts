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
