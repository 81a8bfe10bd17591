import { once } from 'node:events';
import { openStorage } from '../../../src/storage/open.ts';

/** Says `ready`, waits for a line, claims 500 keys ten at a time and prints those it won: `claim-all.ts <url>`. */
const [, , url = ''] = process.argv;
const storage = await openStorage(url);
const store = storage.store('claims');
process.stdout.write('ready\n');
await once(process.stdin, 'data');
process.stdin.destroy();

for (let start = 0; start < 500; start += 10) {
  const keys = Array.from({ length: 10 }, (_, index) => `key-${start + index}`);
  const won = await Promise.all(keys.map((key) => store.add(key, process.pid, 60_000)));
  for (const key of keys.filter((_, index) => won[index])) process.stdout.write(`${key}\n`);
}
await storage.close();
