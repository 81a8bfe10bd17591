import { sql } from '../database.ts';

/** Who has been greeted, so that no one is greeted twice. */
export const greetingsTable = [
  sql`CREATE TABLE greetings (
    workspace_id ORDERED_TEXT NOT NULL, user_id ORDERED_TEXT NOT NULL, greeted_at INTEGER64 NOT NULL,
    PRIMARY KEY (workspace_id, user_id)) STRICTLY`,
];
