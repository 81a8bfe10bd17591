import { z } from 'zod';
import type { Config } from '../config/config.ts';
import { DatabaseError, hasChanged, sql, type Database } from '../database/database.ts';
import { createLog } from '../logging/log.ts';
import { count } from '../messages/text.ts';
import { markForPurge, mustReinstall } from '../workspaces/holds.ts';
import { createRotation } from '../workspaces/rotation.ts';
import { createSlackAgent, slackErrorCode, webClientOptions } from '../workspaces/web-client.ts';
import { installsOn, runOnStore, type Said } from './store-program.ts';

const Row = z.object({
  id: z.string(),
  name: z.string().nullable(),
  purging: z.number().nullable(),
  gone_at: z.number().nullable(),
  held_until: z.number().nullable(),
  lost: z.number(),
  installed_at: z.number(),
  installed_by: z.string().nullable(),
  organization_id: z.string().nullable(),
  last_used_at: z.number().nullable(),
  waiting: z.number(),
});

const day = (time: number) => new Date(time).toISOString().slice(0, 10);

function stateOf({ purging, gone_at: goneAt, held_until: heldUntil, lost }: z.infer<typeof Row>): string {
  if (purging === 1) return 'purging';
  if (goneAt !== null) return `gone since ${day(goneAt)}`;
  if (lost === 1) return 'to be installed again';
  return heldUntil === null ? 'installed' : 'refused';
}

/** By the latest entry in its audit log. */
async function list(database: Database): Promise<string> {
  const rows = await database.read(
    sql`SELECT id, name, purging, gone_at, held_until, CASE WHEN ${mustReinstall} THEN 1 ELSE 0 END AS lost, installed_at, installed_by, organization_id,
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

const ONE_ONLY =
  'The token in the settings is for one workspace, and nobody would write its next one there. Tokens of many workspaces can rotate: docs/many-workspaces.md.';
const OFF =
  'Token rotation is off: turn it on under OAuth & Permissions on the app’s page, then run this again.';

/** Exchanges the tokens that don't end, one after the other, while the app serves. */
async function rotate(database: Database, config: Config): Promise<Said> {
  const { slack, proxy } = config;
  if (slack.mode !== 'many') return { says: ONE_ONLY, code: 1 };
  const installs = installsOn(database, config);
  const slackAgent = createSlackAgent(proxy);
  const log = createLog({ level: 'silent', secrets: [] });
  const clientOptions = webClientOptions({ ...slack, slackAgent, log });
  const rotation = createRotation({ ...slack, database, installs, clientOptions, log, now: Date.now });
  const rows = await database.read(
    sql`SELECT id FROM workspaces WHERE bot_token IS NOT NULL AND token_ends_at IS NULL AND gone_at IS NULL ORDER BY id`,
    Row.pick({ id: true }),
  );
  const again = `run this again. If that doesn’t help, an admin there installs the app again: ${slack.oauth.publicUrl}/slack/install`;
  const failed: string[] = [];
  for (const { id } of rows) {
    try {
      const install = await installs.of(id);
      if (install && !(await rotation.replace(install))) failed.push(`${id} not yet (in progress): ${again}`);
    } catch (error) {
      if (error instanceof DatabaseError) throw error;
      const code = slackErrorCode(error) ?? 'no answer';
      if (code === 'token_rotation_not_enabled') return { says: OFF, code: 1 };
      failed.push(`${id} not yet (${code}): ${again}`);
    }
  }
  const done = `${count(rows.length - failed.length, 'workspace')} changed to tokens that rotate.`;
  return { says: [done, ...failed].join('\n'), code: failed.length === 0 ? 0 : 1 };
}

/** `npm run workspaces`. @returns false if it doesn't understand what was typed */
export async function run({ argv }: Pick<NodeJS.Process, 'argv'>): Promise<false> {
  const [what, id = '', ...rest] = argv.slice(2);
  if (rest.length > 0 || ![undefined, 'purge', 'rotate'].includes(what) || (what === 'purge') === (id === ''))
    return false;
  return runOnStore(async (database, config) => {
    if (what === undefined) return { says: await list(database), code: 0 };
    return what === 'rotate' ? rotate(database, config) : purge(database, id);
  });
}
