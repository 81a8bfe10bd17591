import { sql } from '../database.ts';

/**
 * What somebody is doing right now, so that no one does the same beside them: whoever else asks in that time is told
 * it's under way.
 */
export const claimsTable = [
  sql`CREATE TABLE claims (
    workspace_id ORDERED_TEXT NOT NULL, name ORDERED_TEXT NOT NULL, claimed_until INTEGER64 NOT NULL,
    PRIMARY KEY (workspace_id, name)) STRICTLY`,
];
