import { openDatabase } from '../../../../src/database/open.ts';
import { notesIn } from '../../../database/notes.ts';

/** Writes 20 records at a time until one is refused; prints `written <key>` or `refused <key>`: `<url>`. */
const [, , url = ''] = process.argv;
const database = await openDatabase(url);
const notes = notesIn(database);

async function writeGroup(group: number): Promise<boolean> {
  const keys = Array.from({ length: 20 }, (_, index) => `${group}-${index}`);
  const outcomes = await Promise.allSettled(keys.map((key) => notes.set(key, 'x'.repeat(1_000))));
  for (const [index, { status }] of outcomes.entries()) {
    process.stdout.write(`${status === 'fulfilled' ? 'written' : 'refused'} ${keys[index]}\n`);
  }
  return outcomes.every(({ status }) => status === 'fulfilled');
}

let group = 0;
while (await writeGroup(group)) group += 1;
