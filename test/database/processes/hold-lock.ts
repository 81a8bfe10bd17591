import { once } from 'node:events';
import { DatabaseSync } from 'node:sqlite';

/** Locks the file for writing until its standard input ends, and prints `locked` once it has: `hold-lock.ts <path>`. */
const [, , path = ''] = process.argv;
const connection = new DatabaseSync(path);
connection.exec('BEGIN IMMEDIATE');
process.stdout.write('locked\n');
process.stdin.resume();
await once(process.stdin, 'end');
connection.exec('COMMIT');
connection.close();
