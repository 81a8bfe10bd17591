import { sql } from '../sql.ts';

/** The workspaces the app serves, and until when posting is on hold there because Slack refused the token. */
export const workspacesTable = [
  sql`CREATE TABLE workspaces (
    id ORDERED_TEXT PRIMARY KEY, installed_at INTEGER64 NOT NULL, held_until INTEGER64, held_reason TEXT,
    version INTEGER64 NOT NULL) STRICTLY`,
];
