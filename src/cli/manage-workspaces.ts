import { z } from 'zod';
import { hasChanged, sql, type Database } from '../database/database.ts';
import { runOnStore, type Said } from './store-program.ts';
import { markForPurge } from '../workspaces/holds.ts';

const Row = z.object({
  id: z.string(),
  name: z.string().nullable(),
  purging: z.number().nullable(),
  gone_at: z.number().nullable(),
  held_until: z.number().nullable(),
  installed_at: z.number(),
  installed_by: z.string().nullable(),
  organization_id: z.string().nullable(),
  last_used_at: z.number().nullable(),
  waiting: z.number(),
});

const day = (time: number) => new Date(time).toISOString().slice(0, 10);

function stateOf({ purging, gone_at: goneAt, held_until: heldUntil }: z.infer<typeof Row>): string {
  if (purging === 1) return 'purging';
  if (goneAt !== null) return `gone since ${day(goneAt)}`;
  return heldUntil === null ? 'installed' : 'refused';
}

/** By the latest entry in its audit log. */
async function list(database: Database): Promise<string> {
  const rows = await database.read(
    sql`SELECT id, name, purging, gone_at, held_until, installed_at, installed_by, organization_id,
        (SELECT MAX(at) FROM audit WHERE audit.workspace_id = workspaces.id AND at > 0) AS last_used_at,
        (SELECT COUNT(*) FROM deliveries WHERE deliveries.workspace_id = workspaces.id
          AND state IN ('waiting', 'sending', 'asking')) AS waiting
      FROM workspaces WHERE install_id IS NOT NULL ORDER BY id`,
    Row,
  );
  if (rows.length === 0) return 'No workspace has installed the app.';
  const lines = rows.map((row) =>
    [
      row.id,
      // Control characters could overwrite other lines.
      JSON.stringify(row.name ?? ''),
      stateOf(row),
      `installed ${day(row.installed_at)} by ${row.installed_by || (row.organization_id ?? 'nobody known')}`,
      row.last_used_at === null ? 'never used' : `used ${day(row.last_used_at)}`,
      `${row.waiting} waiting`,
    ].join('  '),
  );
  return lines.join('\n');
}

async function purge(database: Database, id: string): Promise<Said> {
  const [written] = await database.write(markForPurge(sql`id = ${id}`));
  if (!hasChanged(written)) return { says: `No workspace ${id} has installed the app.`, code: 1 };
  const says = `Nothing works for ${id} any more, and its token can’t be read. The running app removes the rest within minutes.`;
  return { says, code: 0 };
}

/** `npm run workspaces`. @returns false if it doesn't understand what was typed */
export async function run({ argv }: Pick<NodeJS.Process, 'argv'>): Promise<false> {
  const [what, id = '', ...rest] = argv.slice(2);
  if (what !== undefined && (what !== 'purge' || id === '' || rest.length > 0)) return false;
  return runOnStore(async (database) =>
    what === undefined ? { says: await list(database), code: 0 } : purge(database, id),
  );
}
