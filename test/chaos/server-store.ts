import pg from 'pg';

const WAIT_FOR_LOCK_MS = 500;

async function onServer(url: string, action: (server: pg.Client) => Promise<unknown>): Promise<void> {
  const server = new pg.Client({ connectionString: url });
  server.on('error', () => undefined);
  await server.connect();
  try {
    await action(server);
  } finally {
    await server.end();
  }
}

/** Lets nobody change a table of the app until the action is done: who tries waits, and gives up in the end. */
export const holdTables = (url: string, action: () => Promise<unknown>): Promise<void> =>
  onServer(url, async (server) => {
    const { rows } = await server.query<{ readonly name: string }>(
      `SELECT string_agg(quote_ident(tablename), ', ') AS name FROM pg_tables WHERE schemaname = current_schema()`,
    );
    await server.query(`BEGIN; SET LOCAL lock_timeout = ${WAIT_FOR_LOCK_MS}`);
    // Where the app was writing all the while, it goes on.
    await server.query(`LOCK TABLE ${rows[0]?.name} IN EXCLUSIVE MODE`).catch(() => undefined);
    await action();
    await server.query('ROLLBACK');
  });

/**
 * Ends every connection of the app to the database, as a server does that is started again: answers are lost. Behind a
 * pooler this one may be one of them.
 */
export const cutConnections = (url: string): Promise<void> =>
  onServer(url, (server) =>
    server.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND application_name LIKE 'cobrowse-for-slack%'
         AND pid <> pg_backend_pid()`,
    ),
  );
