import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';

/** Locks the file for writing for a while, and prints `locked` once it has: `hold-lock.ts <path> <ms>`. */
const [, , path = '', heldMs = ''] = process.argv;
const connection = new DatabaseSync(path);
connection.exec('BEGIN IMMEDIATE');
process.stdout.write('locked\n');
await pause(Number(heldMs));
connection.exec('COMMIT');
connection.close();
