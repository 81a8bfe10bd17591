import { once } from 'node:events';
import { DatabaseError } from '../../../src/database/errors.ts';
import { openDatabase } from '../../../src/database/open.ts';
import { notesIn } from '../notes.ts';

/** Says `ready`, waits for a line, claims 500 keys ten at a time and prints those it won: `claim-all.ts <url>`. */
const [, , url = ''] = process.argv;
const database = await openDatabase(url);
const notes = notesIn(database);
process.stdout.write('ready\n');
await once(process.stdin, 'data');
process.stdin.destroy();

/** On a slow disk the other processes can hold the file for longer than a write waits; then nothing was written. */
async function claim(key: string): Promise<boolean> {
  for (;;) {
    try {
      return await notes.add(key, process.pid);
    } catch (error) {
      if (!(error instanceof DatabaseError) || error.kind !== 'locked') throw error;
    }
  }
}

for (let start = 0; start < 500; start += 10) {
  const keys = Array.from({ length: 10 }, (_, index) => `key-${start + index}`);
  const won = await Promise.all(keys.map(claim));
  for (const key of keys.filter((_, index) => won[index])) process.stdout.write(`${key}\n`);
}
await database.close();
