import { DatabaseSync } from 'node:sqlite';
import { settings } from './settings.ts';
import { serveWebhooks } from './webhook-server.ts';

const database = new DatabaseSync(settings.STORE_URL);
database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
database.exec('CREATE TABLE sessions (id TEXT PRIMARY KEY, session TEXT NOT NULL) STRICT');
const insert = database.prepare('INSERT OR IGNORE INTO sessions VALUES (?, ?)');

// Outside of a transaction each statement is one, and waits for the disk.
serveWebhooks((id, session) => void insert.run(id, session));
