import { once } from 'node:events';
import { openForServing } from '../../../../src/database/open.ts';

/** Serves a database until its standard input ends, and prints `serving` once it does: `serve.ts <url>`. */
const [, , url = ''] = process.argv;
const database = await openForServing(url, {
  onWait: () => process.stdout.write('waiting\n'),
  waitMs: 60_000,
});
process.stdout.write('serving\n');
process.stdin.resume();
await once(process.stdin, 'end');
await database.close();
