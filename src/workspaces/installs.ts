import { randomUUID, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import { DatabaseError, hasChanged, isNoneOf, rowOf, Sql, sql, type Database } from '../database/database.ts';
import { openSecret, sealSecret, type DataKeys, type Secret, type SecretPlace } from './data-keys.ts';
import { WorkspaceId, mustReinstall, useOrganizations } from './holds.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** The topic under which processes tell each other that a workspace changed, by its id. */
const CHANGED = 'workspace';

/** Source: docs.slack.dev/authentication/using-token-rotation. */
export interface Tokens {
  readonly botToken: Secret;
  /** Good once. Undefined if the bot token doesn't end. */
  readonly refreshToken?: Secret;
  /** When the bot token ends, milliseconds since 1970. */
  readonly tokenEndsAt?: number;
}

/** What Slack said when the app was installed. Source: oauth.v2.access and auth.test. */
export interface NewInstall extends Tokens {
  /** Or the organization's, where it's installed for all of one. */
  readonly workspaceId: string;
  readonly isOrganization?: boolean;
  readonly name: string;
  readonly url: string;
  readonly appId: string;
  readonly botId: string;
  readonly botUserId: string;
  readonly scopes: readonly string[];
  readonly installedBy: string;
}

export interface Install extends Omit<NewInstall, 'botToken' | 'name' | 'appId' | 'scopes' | 'installedBy'> {
  /** Random; the same after the app is installed again. */
  readonly installId: string;
  /** The organization whose token it uses, having none of its own. */
  readonly organizationId?: string;
  /** Undefined if it can't be opened, as the tokens are then: the key in SECRET_KEYS that they need is missing. */
  readonly dataKey: KeyObject | undefined;
  readonly botToken: Secret | undefined;
  /** Whether there is one, which perhaps can't be opened. */
  readonly hasToken: boolean;
  /** The condition for a write that it's still the same. */
  readonly isStill: Sql;
  /** `reinstall` where Slack gave no new token in place of one that ends; `gone` where the app was removed, or has no token. */
  readonly state: 'installed' | 'reinstall' | 'gone';
  /** Whether somebody asked Slack for new tokens, and nobody knows what it said. */
  readonly refreshUnclear: boolean;
  readonly version: string;
}

/** Left out where an organization gave it the app, of which it's true. */
const text = z.string().default('');
const Row = rowOf({
  installId: z.string(),
  url: text,
  botId: text,
  botUserId: text,
  botToken: z.string().optional(),
  refreshToken: z.string().optional(),
  tokenEndsAt: z.number().optional(),
  refreshingUntil: z.number().optional(),
  organizationId: z.string().optional(),
  dataKey: z.string(),
  dataKeyBy: z.string(),
  goneAt: z.number().optional(),
  version: z.number(),
});
const KeyRow = z.object({ id: z.string(), sealed: z.string(), by: z.string() });
const CountsRow = z.record(
  z.enum(['installed', 'refused', 'gone', 'reinstall', 'organizations']),
  z.number(),
);
const MissingRow = z.object({ key: z.string(), workspaces: z.number() });

const placeOf = (workspaceId: string, token: 'bot_token' | 'refresh_token'): SecretPlace => ({
  workspaceId,
  column: `workspaces.${token}`,
});

interface InstallsParts {
  readonly database: Pick<Database, 'read' | 'write' | 'notify' | 'listen'>;
  readonly dataKeys: DataKeys;
  readonly now: () => number;
}

function createWorkspaceKeys({ database, dataKeys, now }: InstallsParts) {
  /** `key` if it can be opened; `isStill` is the condition for a write that it's the same. Undefined where the app isn't installed. */
  async function keyOf(workspaceId: string) {
    const [row] = await database.read(
      sql`SELECT id, data_key AS sealed, data_key_by AS by FROM workspaces
        WHERE id = ${workspaceId} AND data_key IS NOT NULL`,
      KeyRow,
    );
    if (row === undefined) return undefined;
    const isStill = sql`EXISTS (SELECT 1 FROM workspaces WHERE id = ${workspaceId} AND data_key = ${row.sealed})`;
    return { ...row, key: dataKeys.openKey(workspaceId, row), isStill };
  }

  return {
    keyOf,

    /** The same, and made where there's none yet: for a workspace in the settings, which nothing is installed in. */
    keyMadeFor: async (workspaceId: string): ReturnType<typeof keyOf> => {
      const held = await keyOf(workspaceId);
      if (held !== undefined) return held;
      const { sealed, by } = dataKeys.sealKey(workspaceId, dataKeys.create());
      await database.write(
        sql`INSERT INTO workspaces (id, installed_at, version, data_key, data_key_by)
          VALUES (${workspaceId}, ${now()}, 1, ${sealed}, ${by})
          ON CONFLICT (id) DO UPDATE SET data_key = excluded.data_key, data_key_by = excluded.data_key_by
          WHERE workspaces.data_key IS NULL`,
      );
      // Another process may have been faster.
      return keyOf(workspaceId);
    },

    /** While the app serves. What it couldn't open is in `missingKeys`. @returns how many it sealed with the newest key */
    async resealAll(): Promise<number> {
      let done = 0;
      const rows = await database.read(
        sql`SELECT id, data_key AS sealed, data_key_by AS by FROM workspaces
          WHERE data_key IS NOT NULL AND data_key_by <> ${dataKeys.ids[0] ?? ''}`,
        KeyRow,
      );
      for (const { id, ...old } of rows) {
        const key = dataKeys.openKey(id, old);
        if (key === undefined) continue;
        const { sealed, by } = dataKeys.sealKey(id, key);
        const [written] = await database.write(
          sql`UPDATE workspaces SET data_key = ${sealed}, data_key_by = ${by}
            WHERE id = ${id} AND data_key = ${old.sealed}`,
        );
        if (hasChanged(written)) done += 1;
      }
      return done;
    },

    missingKeys: () =>
      database.read(
        sql`SELECT data_key_by AS key, COUNT(*) AS workspaces FROM workspaces WHERE data_key IS NOT NULL
            AND ${isNoneOf(sql`data_key_by`, dataKeys.ids)}
          GROUP BY data_key_by ORDER BY data_key_by`,
        MissingRow,
      ),
  };
}

type WorkspaceKeys = ReturnType<typeof createWorkspaceKeys>;

function createFind({ database, dataKeys }: InstallsParts) {
  /** Undefined where the app was never installed, or everything of it was removed. */
  return async function of(workspaceId: string): Promise<Install | undefined> {
    const [row] = await database.read(
      sql`SELECT install_id, url, bot_id, bot_user_id, bot_token, refresh_token, token_ends_at, refreshing_until,
          organization_id, data_key, data_key_by, gone_at, version
        FROM workspaces WHERE id = ${workspaceId} AND install_id IS NOT NULL AND purging IS NULL`,
      Row,
    );
    if (row === undefined) return undefined;
    const { botToken, refreshToken, refreshingUntil, organizationId, goneAt, dataKeyBy, ...install } = row;
    const dataKey = dataKeys.openKey(workspaceId, { sealed: row.dataKey, by: dataKeyBy });
    const hasToken = botToken !== undefined;
    const isLost = hasToken && row.tokenEndsAt !== undefined && refreshToken === undefined;
    const isGone = !hasToken || goneAt !== undefined;
    const own: Install = {
      ...install,
      workspaceId,
      isOrganization: organizationId === workspaceId,
      dataKey,
      botToken: openSecret(dataKey, placeOf(workspaceId, 'bot_token'), botToken),
      refreshToken: openSecret(dataKey, placeOf(workspaceId, 'refresh_token'), refreshToken),
      hasToken,
      isStill: sql`id = ${workspaceId} AND bot_token = ${botToken ?? null}`,
      state: isLost ? 'reinstall' : isGone ? 'gone' : 'installed',
      refreshUnclear: refreshingUntil !== undefined,
      version: String(row.version),
    };
    if (hasToken || own.isOrganization || organizationId === undefined) return own;
    const organization = await of(organizationId);
    if (organization === undefined) return own;
    const version = `${own.version} ${organization.installId} ${organization.version}`;
    const state = goneAt === undefined ? organization.state : 'gone';
    const itsOwn = { workspaceId, installId: own.installId, dataKey, isOrganization: false };
    return { ...organization, ...itsOwn, organizationId, version, state };
  };
}

/** Makes every process read a workspace again: this one at once, without waiting for its own hint. */
type Changed = (workspaceId: string) => void;

function createAccess({ database, dataKeys, now }: InstallsParts, changed: Changed) {
  const granted = (id: string, organizationId: string, at: number): readonly Sql[] => {
    const { sealed, by } = dataKeys.sealKey(id, dataKeys.create());
    return [
      sql`INSERT INTO workspaces (id, installed_at, version, install_id, data_key, data_key_by, check_at,
          organization_id, access_at)
        VALUES (${id}, ${now()}, 1, ${randomUUID()}, ${sealed}, ${by}, ${now() + DAY_MS}, ${organizationId}, ${at})
        ON CONFLICT (id) DO UPDATE SET version = workspaces.version + 1, organization_id = excluded.organization_id,
          access_at = excluded.access_at, check_at = excluded.check_at,
          install_id = COALESCE(workspaces.install_id, excluded.install_id),
          data_key = COALESCE(workspaces.data_key, excluded.data_key),
          data_key_by = COALESCE(workspaces.data_key_by, excluded.data_key_by)
        WHERE workspaces.purging IS NULL AND COALESCE(workspaces.access_at, 0) <= excluded.access_at`,
      useOrganizations(sql`id = ${id} AND held_until IS NOT NULL AND access_at = ${at}`),
    ];
  };

  /** A workspace without an installation of its own no longer has the app: asked about without a token, it's soon taken for gone. */
  const revoked = (id: string, organizationId: string, at: number): Sql =>
    sql`UPDATE workspaces SET version = version + 1, organization_id = NULL, access_at = ${at}, check_at = ${now()}
      WHERE id = ${id} AND organization_id = ${organizationId} AND COALESCE(access_at, 0) <= ${at}`;

  return {
    /** An organization has the app in these workspaces, and in no other. @param at when Slack was asked: of two answers the later counts */
    async sync(organizationId: string, listed: readonly string[], at: number): Promise<void> {
      const rows = await database.read(
        sql`SELECT id FROM workspaces WHERE organization_id = ${organizationId} AND id <> ${organizationId}`,
        WorkspaceId,
      );
      const had = new Set(rows.map(({ id }) => id));
      const isTaken = (id: string) => !listed.includes(id);
      // In one order: of two at once that name the same, each would wait for the other.
      const others = [...listed.filter((id) => !had.has(id)), ...[...had].filter(isTaken)].toSorted();
      await database.write(
        ...others.flatMap((id) =>
          had.has(id) ? [revoked(id, organizationId, at)] : granted(id, organizationId, at),
        ),
      );
      for (const id of others) changed(id);
    },

    /** It wasn't said which they are: Slack is asked again a minute later. */
    async askAgain(organizationId: string): Promise<void> {
      await database.write(
        sql`UPDATE workspaces SET check_at = ${now() + MINUTE_MS} WHERE id = ${organizationId} AND check_at IS NOT NULL`,
      );
    },

    /** The organization's workspace with this install id; without one, this workspace if it's the organization's. */
    workspaceIn: async (
      organizationId: string,
      { installId, workspaceId }: Partial<Pick<Install, 'installId' | 'workspaceId'>>,
    ): Promise<string | undefined> => {
      const isIt = installId === undefined ? sql`id = ${workspaceId ?? ''}` : sql`install_id = ${installId}`;
      const [row] = await database.read(
        sql`SELECT id FROM workspaces WHERE organization_id = ${organizationId} AND ${isIt}`,
        WorkspaceId,
      );
      return row?.id;
    },
  };
}

/** Of an organization that had removed the app, no workspace has it yet. */
const revokedByRemoval = (organizationId: string): Sql =>
  sql`UPDATE workspaces SET organization_id = NULL, version = version + 1
    WHERE organization_id = ${organizationId} AND id <> ${organizationId} AND NOT EXISTS (SELECT 1 FROM workspaces AS own
      WHERE own.id = ${organizationId} AND own.bot_token IS NOT NULL AND own.gone_at IS NULL)`;

function sealedTokens(key: KeyObject, workspaceId: string, { botToken, refreshToken, tokenEndsAt }: Tokens) {
  const refresh = refreshToken && sealSecret(key, placeOf(workspaceId, 'refresh_token'), refreshToken);
  const token = sealSecret(key, placeOf(workspaceId, 'bot_token'), botToken);
  return { token, refresh: refresh ?? null, endsAt: tokenEndsAt ?? null };
}

/** What Slack gives when the app is installed, and in place of tokens that end. */
function createRecords(
  { database, dataKeys, now }: InstallsParts,
  { keyOf }: WorkspaceKeys,
  changed: Changed,
) {
  return {
    async record(install: NewInstall): Promise<void> {
      const { workspaceId, name, url, appId, botId, botUserId, scopes, installedBy, isOrganization } =
        install;
      const time = now();
      const organizationId = isOrganization ? workspaceId : null;
      // Which workspaces an organization gives the app is asked at once.
      const checkAt = isOrganization ? time : time + DAY_MS;
      const held = await keyOf(workspaceId);
      // What else is sealed with the key stays readable.
      const key = held?.key ?? dataKeys.create();
      const dataKey = held?.key ? held : dataKeys.sealKey(workspaceId, key);
      const { token, refresh, endsAt } = sealedTokens(key, workspaceId, install);
      const [, written] = await database.write(
        revokedByRemoval(workspaceId),
        sql`INSERT INTO workspaces (id, installed_at, version, install_id, name, url, app_id, bot_id, bot_user_id, scopes,
              installed_by, bot_token, refresh_token, token_ends_at, data_key, data_key_by, check_at, organization_id)
            VALUES (${workspaceId}, ${time}, 1, ${randomUUID()}, ${name}, ${url}, ${appId}, ${botId}, ${botUserId},
              ${scopes.join(',')}, ${installedBy}, ${token}, ${refresh}, ${endsAt}, ${dataKey.sealed}, ${dataKey.by},
              ${checkAt}, ${organizationId})
            ON CONFLICT (id) DO UPDATE SET installed_at = excluded.installed_at, version = workspaces.version + 1,
              install_id = COALESCE(workspaces.install_id, excluded.install_id), name = excluded.name,
              url = excluded.url, app_id = excluded.app_id, bot_id = excluded.bot_id,
              bot_user_id = excluded.bot_user_id, scopes = excluded.scopes, installed_by = excluded.installed_by,
              bot_token = excluded.bot_token, refresh_token = excluded.refresh_token,
              token_ends_at = excluded.token_ends_at, refreshing_until = NULL, data_key = excluded.data_key,
              data_key_by = excluded.data_key_by, check_at = excluded.check_at, held_until = NULL, held_reason = NULL,
              gone_at = NULL, organization_id = COALESCE(excluded.organization_id, workspaces.organization_id)
            WHERE workspaces.purging IS NULL AND workspaces.data_key IS NOT DISTINCT FROM ${held?.sealed ?? null}`,
      );
      // Somebody installed it at the same time, with a key of theirs, or all of it is just being removed.
      if (!hasChanged(written)) throw new DatabaseError('locked');
      changed(workspaceId);
    },

    /** Puts new tokens in the place of an installation's, unless it was installed again or removed meanwhile. */
    async replaceTokens({ workspaceId, isStill, dataKey }: Install, tokens: Tokens): Promise<void> {
      if (dataKey === undefined) return;
      const { token, refresh, endsAt } = sealedTokens(dataKey, workspaceId, tokens);
      await database.write(
        sql`UPDATE workspaces SET bot_token = ${token}, refresh_token = ${refresh}, token_ends_at = ${endsAt},
            refreshing_until = NULL, version = version + 1, held_until = NULL, held_reason = NULL, gone_at = NULL
          WHERE ${isStill}`,
      );
      changed(workspaceId);
    },

    /** Slack gives no new tokens in the place of an installation's: then its organization's serve, if it has one. */
    async loseTokens({ workspaceId, isStill, refreshUnclear }: Install, code: string): Promise<void> {
      await database.write(
        useOrganizations(isStill),
        // Unless an answer was lost, the app may have been removed.
        sql`UPDATE workspaces SET refresh_token = NULL, held_until = ${now()}, held_reason = ${code},
            ${refreshUnclear ? sql`gone_at = NULL` : sql`refreshing_until = NULL`}
          WHERE ${isStill} AND refresh_token IS NOT NULL`,
      );
      changed(workspaceId);
    },
  };
}

/** The workspaces that installed the app. All reject with a DatabaseError. */
export function createInstalls(parts: InstallsParts) {
  const { database } = parts;
  const keys = createWorkspaceKeys(parts);
  const listeners = new Set<(workspaceId: string) => void>();
  const changed: Changed = (workspaceId) => {
    for (const heard of listeners) heard(workspaceId);
    database.notify(CHANGED, workspaceId);
  };
  const of = createFind(parts);

  return {
    of,
    ...keys,
    access: createAccess(parts, changed),
    ...createRecords(parts, keys, changed),

    async counts() {
      const [row] = await database.read(
        sql`SELECT COUNT(*) - COUNT(held_until) AS installed, COUNT(held_until) - COUNT(gone_at) AS refused,
            COUNT(gone_at) AS gone, COUNT(CASE WHEN ${mustReinstall} AND gone_at IS NULL THEN 1 END) AS reinstall,
            (SELECT COUNT(*) FROM workspaces WHERE id = organization_id) AS organizations
          FROM workspaces WHERE install_id IS NOT NULL AND purging IS NULL AND COALESCE(organization_id, '') <> id`,
        CountsRow,
      );
      return row ?? { installed: 0, refused: 0, gone: 0, reinstall: 0, organizations: 0 };
    },

    changed,

    /** In any process. @returns a function that stops it */
    onChange(heard: (workspaceId: string) => void): () => void {
      listeners.add(heard);
      return database.listen(CHANGED, heard);
    },
  };
}
export type Installs = ReturnType<typeof createInstalls>;
