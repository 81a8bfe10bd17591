import { openDatabase } from '../../../../src/database/open.ts';
import { notesIn } from '../../../database/notes.ts';

/** Writes records until it is killed and prints each key once its write has resolved: `write-forever.ts <url> <at once>`. */
const [, , url = '', atOnce = ''] = process.argv;
const database = await openDatabase(url);
const notes = notesIn(database);

async function writeForever(writer: number): Promise<never> {
  for (let count = 0; ; count += 1) {
    const key = `${writer}-${count}`;
    await notes.set(key, { key });
    process.stdout.write(`${key}\n`);
  }
}

await Promise.all(Array.from({ length: Number(atOnce) }, (_, writer) => writeForever(writer)));
