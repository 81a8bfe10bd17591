import { sql } from '../sql.ts';

/** What somebody is doing, so that nobody does it beside them: who asks within the time is told that it is under way. */
export const claimsTable = [
  sql`CREATE TABLE claims (
    workspace_id ORDERED_TEXT NOT NULL, name ORDERED_TEXT NOT NULL, claimed_until INTEGER64 NOT NULL,
    PRIMARY KEY (workspace_id, name)) STRICTLY`,
];
