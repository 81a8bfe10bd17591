import { randomUUID, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import {
  DatabaseError,
  hasChanged,
  isNoneOf,
  join,
  rowOf,
  Sql,
  sql,
  steadyTimeIn,
  type Database,
} from '../database/database.ts';
import { openSecret, sealSecret, type DataKeys, type Secret, type SecretPlace } from './data-keys.ts';
import { hasOther, holdUnlessHeld, isLost as isLostRow } from './holds.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
/** The topic under which processes tell each other that a workspace changed, by its id. */
const CHANGED = 'workspace';

/** What Slack said when the app was installed. Source: oauth.v2.access and auth.test. */
export interface NewInstall {
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
  readonly botToken: Secret;
  /** Undefined if the bot token doesn't end. */
  readonly rotation: Rotation | undefined;
}

/** How a bot token that ends is replaced. Source: docs.slack.dev/authentication/using-token-rotation. */
export interface Rotation {
  /** Good once. Undefined if it's lost or can't be opened. */
  readonly refreshToken: Secret | undefined;
  /** When the bot token ends, milliseconds since 1970. */
  readonly endsAt: number;
}

export interface HeldKey {
  /** Undefined if it can't be opened. */
  readonly key: KeyObject | undefined;
  /** The condition for a write that it's still the same. */
  readonly isStill: Sql;
}

export interface Install extends Omit<NewInstall, 'botToken'> {
  /** Random; the same after the app is installed again. */
  readonly installId: string;
  /** Both undefined if they can't be opened: then the key in SECRET_KEYS that they need is missing. */
  readonly dataKey: KeyObject | undefined;
  readonly botToken: Secret | undefined;
  /** Whether there is one, which perhaps can't be opened. */
  readonly hasToken: boolean;
  /** The condition for a write that it's still the same. */
  readonly isStill: Sql;
  /** The organization whose token it uses, having none of its own. */
  readonly lentBy?: string;
  readonly version: string;
  /** Whether no token is left that works: nothing does until the app is installed again. */
  readonly isLost: boolean;
  /** Whether somebody asked for new tokens and nobody knows what Slack said. */
  readonly wasTried: boolean;
  /** Whether it's lost, or we noticed that the app was removed. */
  readonly isGone: boolean;
}

/** Left out where an organization gave it the app, of which it's true. */
const text = z.string().default('');
const Row = rowOf({
  installId: z.string(),
  name: text,
  url: text,
  appId: text,
  botId: text,
  botUserId: text,
  scopes: text.transform((names) => names.split(',').filter((scope) => scope !== '')),
  installedBy: text,
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

const IdRow = z.object({ id: z.string() });
const KeyRow = z.object({ id: z.string(), sealed: z.string(), by: z.string() });
const CountsRow = z.object({
  installed: z.number(),
  refused: z.number(),
  gone: z.number(),
  lost: z.number(),
  organizations: z.number(),
});
const MissingRow = z.object({ key: z.string(), workspaces: z.number() });
const MOST_TRIES = 3;
const AT_ONCE = 100;

const tokenOf = (workspaceId: string) => ({ workspaceId, column: 'workspaces.bot_token' }) as const;
const refreshTokenOf = (workspaceId: string) =>
  ({ workspaceId, column: 'workspaces.refresh_token' }) as const;

/** The values of `bot_token`, `refresh_token` and `token_ends_at`. */
function sealedPair(
  key: KeyObject,
  { workspaceId, botToken, rotation }: Pick<NewInstall, 'workspaceId' | 'botToken' | 'rotation'>,
) {
  const { refreshToken, endsAt = null } = rotation ?? {};
  const refresh = refreshToken && sealSecret(key, refreshTokenOf(workspaceId), refreshToken);
  return [sealSecret(key, tokenOf(workspaceId), botToken), refresh ?? null, endsAt] as const;
}

/** A workspace without a token, as its organization's installation serves it. */
const lent = (own: Install, lender: Install, wasGone: boolean): Install => ({
  ...lender,
  workspaceId: own.workspaceId,
  installId: own.installId,
  name: own.name,
  dataKey: own.dataKey,
  isOrganization: false,
  lentBy: lender.workspaceId,
  version: `${own.version} ${lender.installId} ${lender.version}`,
  isGone: wasGone || lender.isGone,
});

/** Whether nobody is replacing a workspace's tokens. @param steady the steady time */
export const isUnclaimed = (steady: Sql): Sql =>
  sql`(refreshing_until IS NULL OR refreshing_until <= ${steady})`;

interface InstallsParts {
  readonly database: Pick<Database, 'read' | 'write' | 'notify' | 'listen' | 'steadyTime'>;
  readonly dataKeys: DataKeys;
  readonly now: () => number;
}

/** The key that a workspace's secrets are sealed with. */
function createWorkspaceKeys({ database, dataKeys, now }: InstallsParts) {
  async function sealedKeyOf(workspaceId: string) {
    const [row] = await database.read(
      sql`SELECT id, data_key AS sealed, data_key_by AS by FROM workspaces
        WHERE id = ${workspaceId} AND data_key IS NOT NULL`,
      KeyRow,
    );
    return row;
  }

  async function keyOf(workspaceId: string): Promise<HeldKey | undefined> {
    const row = await sealedKeyOf(workspaceId);
    return (
      row && {
        key: dataKeys.openKey(workspaceId, row),
        isStill: sql`EXISTS (SELECT 1 FROM workspaces WHERE id = ${workspaceId} AND data_key = ${row.sealed})`,
      }
    );
  }

  return {
    sealedKeyOf,

    /** Undefined where the app isn't installed. */
    keyOf,

    /** The same, and made where there's none yet: for a workspace in the settings, which nothing is installed in. */
    keyMadeFor: async (workspaceId: string): Promise<HeldKey | undefined> => {
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

    /** While the app serves. @returns how many it sealed with the newest key, and couldn't by the id of the missing one */
    async resealAll(): Promise<{ readonly done: number; readonly missing: ReadonlyMap<string, number> }> {
      const [newest = ''] = dataKeys.ids;
      const missing = new Map<string, number>();
      let [done, after] = [0, ''];
      for (;;) {
        const rows = await database.read(
          sql`SELECT id, data_key AS sealed, data_key_by AS by FROM workspaces
            WHERE id > ${after} AND data_key IS NOT NULL AND data_key_by <> ${newest} ORDER BY id LIMIT ${AT_ONCE}`,
          KeyRow,
        );
        for (const { id, ...old } of rows) {
          after = id;
          const key = dataKeys.openKey(id, old);
          if (key === undefined) {
            missing.set(old.by, (missing.get(old.by) ?? 0) + 1);
            continue;
          }
          const { sealed, by } = dataKeys.sealKey(id, key);
          const [written] = await database.write(
            sql`UPDATE workspaces SET data_key = ${sealed}, data_key_by = ${by}
              WHERE id = ${id} AND data_key = ${old.sealed}`,
          );
          if (hasChanged(written)) done += 1;
        }
        if (rows.length < AT_ONCE) return { done, missing };
      }
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

/** Makes every process read a workspace again: this one at once, without waiting for its own hint. */
type Changed = (workspaceId: string) => void;

function createFind({ database, dataKeys }: InstallsParts) {
  /** Undefined where the app was never installed, or everything of it was removed. */
  return async function of(workspaceId: string): Promise<Install | undefined> {
    const [row] = await database.read(
      sql`SELECT install_id, name, url, app_id, bot_id, bot_user_id, scopes, installed_by, bot_token, refresh_token,
          token_ends_at, refreshing_until, organization_id, data_key, data_key_by, gone_at, version
        FROM workspaces WHERE id = ${workspaceId} AND install_id IS NOT NULL AND purging IS NULL`,
      Row,
    );
    if (row === undefined) return undefined;
    const { botToken, refreshToken, tokenEndsAt: endsAt, dataKey: sealed, dataKeyBy: by, ...rest } = row;
    const { organizationId, goneAt, refreshingUntil, ...install } = rest;
    const dataKey = dataKeys.openKey(workspaceId, { sealed, by });
    const open = (place: SecretPlace, sealedText?: string) =>
      dataKey && sealedText !== undefined ? openSecret(dataKey, place, sealedText) : undefined;
    const isOrganization = organizationId === workspaceId;
    const opened = open(refreshTokenOf(workspaceId), refreshToken);
    const isLost = botToken !== undefined && endsAt !== undefined && refreshToken === undefined;
    const own: Install = {
      ...install,
      workspaceId,
      isOrganization,
      dataKey,
      botToken: open(tokenOf(workspaceId), botToken),
      rotation: endsAt === undefined ? undefined : { refreshToken: opened, endsAt },
      hasToken: botToken !== undefined,
      isStill: sql`id = ${workspaceId} AND bot_token = ${botToken ?? null}`,
      isLost,
      wasTried: refreshingUntil !== undefined,
      version: String(row.version),
      isGone: goneAt !== undefined || botToken === undefined || isLost,
    };
    if (own.hasToken || isOrganization || organizationId === undefined) return own;
    const lender = await of(organizationId);
    return lender === undefined ? own : lent(own, lender, goneAt !== undefined);
  };
}
type Find = ReturnType<typeof createFind>;

/** What an organization gave to its workspaces. */
function createAccess({ database, dataKeys, now }: InstallsParts, of: Find, changed: Changed) {
  /**
   * An organization that has the app gave it to workspaces. What Slack said last counts: events come late, and in any order.
   * @param at milliseconds since 1970
   */
  async function grant(organizationId: string, workspaceIds: readonly string[], at: number): Promise<void> {
    if ((await of(organizationId)) === undefined) return;
    const time = now();
    await database.write(
      ...workspaceIds.map((id) => {
        const { sealed, by } = dataKeys.sealKey(id, dataKeys.create());
        // What is on hold with a token of its own goes on with the organization's.
        return sql`INSERT INTO workspaces (id, installed_at, version, install_id, data_key, data_key_by, check_at,
            organization_id, access_at)
          VALUES (${id}, ${time}, 1, ${randomUUID()}, ${sealed}, ${by}, ${time + DAY_MS}, ${organizationId}, ${at})
          ON CONFLICT (id) DO UPDATE SET version = workspaces.version + 1, organization_id = excluded.organization_id,
            access_at = excluded.access_at, check_at = excluded.check_at,
            install_id = COALESCE(workspaces.install_id, excluded.install_id),
            data_key = COALESCE(workspaces.data_key, excluded.data_key),
            data_key_by = COALESCE(workspaces.data_key_by, excluded.data_key_by),
            bot_token = CASE WHEN workspaces.held_until IS NULL THEN workspaces.bot_token END,
            refresh_token = CASE WHEN workspaces.held_until IS NULL THEN workspaces.refresh_token END,
            token_ends_at = CASE WHEN workspaces.held_until IS NULL THEN workspaces.token_ends_at END,
            held_until = NULL, held_reason = NULL, gone_at = NULL
          WHERE workspaces.purging IS NULL AND COALESCE(workspaces.access_at, 0) <= excluded.access_at`;
      }),
    );
    for (const id of workspaceIds) changed(id);
  }

  /** The same, when it took the app away: a workspace without an installation of its own no longer has it. */
  async function revoke(organizationId: string, workspaceIds: readonly string[], at: number): Promise<void> {
    const time = now();
    await database.write(
      ...workspaceIds.flatMap((id) => {
        const isIts = sql`id = ${id} AND id <> ${organizationId} AND organization_id = ${organizationId}
          AND COALESCE(access_at, 0) <= ${at}`;
        return [
          sql`UPDATE workspaces SET gone_at = COALESCE(gone_at, ${time}), held_until = ${time}, check_at = ${time + DAY_MS}
            WHERE ${isIts} AND bot_token IS NULL`,
          sql`UPDATE workspaces SET organization_id = NULL, access_at = ${at}, version = version + 1 WHERE ${isIts}`,
        ];
      }),
    );
    for (const id of workspaceIds) changed(id);
  }

  return {
    grant,
    revoke,

    /** What Slack lists: some of its words about it may have been lost. @param at when it was asked */
    settleAccess: async (organizationId: string, listed: readonly string[], at: number): Promise<void> => {
      const isIts = sql`organization_id = ${organizationId} AND id <> ${organizationId}`;
      const rows = await database.read(sql`SELECT id FROM workspaces WHERE ${isIts}`, IdRow);
      const had = rows.map(({ id }) => id);
      const given = listed.filter((id) => !had.includes(id));
      const taken = had.filter((id) => !listed.includes(id));
      await grant(organizationId, given, at);
      await revoke(organizationId, taken, at);
    },

    /**
     * The workspace of an organization that has this install id; without one, the workspace with this id. Undefined if it's none
     * of the organization's.
     */
    within: async (
      organizationId: string,
      { installId, workspaceId }: Partial<Pick<Install, 'installId' | 'workspaceId'>>,
    ): Promise<string | undefined> => {
      const [row] = await database.read(
        sql`SELECT id FROM workspaces WHERE organization_id = ${organizationId}
          AND ${installId === undefined ? sql`id = ${workspaceId ?? ''}` : sql`install_id = ${installId}`}`,
        IdRow,
      );
      return row?.id;
    },
  };
}

/** What comes of an installation's tokens. */
function createTokens({ database, now }: InstallsParts, changed: Changed) {
  return {
    /** True for one caller, in any process, until the time is over or the tokens are replaced. */
    async claimTokens({ isStill }: Pick<Install, 'isStill'>, forMs: number): Promise<boolean> {
      const [claimed] = await database.write(
        sql`UPDATE workspaces SET refreshing_until = ${steadyTimeIn(database, forMs)}
          WHERE ${isStill} AND ${isUnclaimed(database.steadyTime())}`,
      );
      return hasChanged(claimed);
    },

    /** Puts new tokens in the place of an installation's, unless it was installed again or removed meanwhile. */
    async renew(
      { workspaceId, isStill, dataKey }: Install,
      tokens: Pick<NewInstall, 'botToken' | 'rotation'>,
    ): Promise<void> {
      if (dataKey === undefined) return;
      const [botToken, refreshToken, endsAt] = sealedPair(dataKey, { workspaceId, ...tokens });
      await database.write(
        sql`UPDATE workspaces SET bot_token = ${botToken}, refresh_token = ${refreshToken}, token_ends_at = ${endsAt},
            refreshing_until = NULL, version = version + 1, held_until = NULL, held_reason = NULL, gone_at = NULL
          WHERE ${isStill}`,
      );
      changed(workspaceId);
    },

    /** Slack gives no new tokens in the place of an installation's: then its organization's serve, if it has one. */
    async lose({ workspaceId, isStill, wasTried }: Install, code: string): Promise<void> {
      const time = now();
      // Otherwise the app may have been removed.
      const isOurLoss = wasTried ? sql`gone_at = NULL` : sql`refreshing_until = NULL`;
      await database.write(
        sql`UPDATE workspaces SET bot_token = NULL, refresh_token = NULL, token_ends_at = NULL, version = version + 1
          WHERE ${isStill} AND ${hasOther}`,
        sql`UPDATE workspaces SET refresh_token = NULL, held_until = ${time}, held_reason = ${code}, ${isOurLoss}
          WHERE ${isStill} AND refresh_token IS NOT NULL`,
      );
      changed(workspaceId);
    },

    /** Slack refused the token: everything of the workspace waits until it's known why. Never rejects. */
    refused(workspaceId: string): void {
      // If it can't be written, the next refusal is.
      database.write(holdUnlessHeld(workspaceId, now())).catch(() => undefined);
    },
  };
}

/** Of an organization that had removed the app, no workspace has it yet. */
const withdrawn = (organizationId: string): Sql =>
  sql`UPDATE workspaces SET organization_id = NULL, version = version + 1
    WHERE organization_id = ${organizationId} AND id <> ${organizationId} AND NOT EXISTS (SELECT 1 FROM workspaces AS own
      WHERE own.id = ${organizationId} AND own.bot_token IS NOT NULL AND own.gone_at IS NULL)`;

/** The workspaces that installed the app. All reject with a DatabaseError. */
export function createInstalls(parts: InstallsParts) {
  const { database, dataKeys, now } = parts;
  const { sealedKeyOf, ...keys } = createWorkspaceKeys(parts);
  const listeners = new Set<(workspaceId: string) => void>();
  const changed: Changed = (workspaceId) => {
    for (const heard of listeners) heard(workspaceId);
    database.notify(CHANGED, workspaceId);
  };
  const of = createFind(parts);

  return {
    of,
    ...keys,
    ...createAccess(parts, of, changed),
    ...createTokens(parts, changed),

    async record(install: NewInstall): Promise<void> {
      const { workspaceId, name, url, appId, botId, botUserId, scopes, installedBy } = install;
      const time = now();
      const organizationId = install.isOrganization === true ? workspaceId : null;
      // Which workspaces an organization gives the app is asked at once.
      const checkAt = organizationId === null ? time + DAY_MS : time;
      for (let tries = 0; ; tries += 1) {
        // All of it is just being removed.
        if (tries === MOST_TRIES) throw new DatabaseError('locked');
        const row = await sealedKeyOf(workspaceId);
        // What else is sealed with the key stays readable.
        const known = row && dataKeys.openKey(workspaceId, row);
        const key = known ?? dataKeys.create();
        const { sealed, by } = row && known ? row : dataKeys.sealKey(workspaceId, key);
        const [, written] = await database.write(
          withdrawn(workspaceId),
          sql`INSERT INTO workspaces (id, installed_at, version, install_id, name, url, app_id, bot_id, bot_user_id, scopes,
              installed_by, bot_token, refresh_token, token_ends_at, data_key, data_key_by, check_at, organization_id)
            VALUES (${workspaceId}, ${time}, 1, ${randomUUID()}, ${name}, ${url}, ${appId}, ${botId}, ${botUserId},
              ${scopes.join(',')}, ${installedBy}, ${join(sealedPair(key, install))}, ${sealed}, ${by}, ${checkAt},
              ${organizationId})
            ON CONFLICT (id) DO UPDATE SET installed_at = excluded.installed_at, version = workspaces.version + 1,
              install_id = COALESCE(workspaces.install_id, excluded.install_id), name = excluded.name,
              url = excluded.url, app_id = excluded.app_id, bot_id = excluded.bot_id,
              bot_user_id = excluded.bot_user_id, scopes = excluded.scopes, installed_by = excluded.installed_by,
              bot_token = excluded.bot_token, refresh_token = excluded.refresh_token,
              token_ends_at = excluded.token_ends_at, refreshing_until = NULL, data_key = excluded.data_key,
              data_key_by = excluded.data_key_by, check_at = excluded.check_at, held_until = NULL, held_reason = NULL,
              gone_at = NULL, organization_id = COALESCE(excluded.organization_id, workspaces.organization_id)
            WHERE workspaces.purging IS NULL AND ${row === undefined ? sql`workspaces.data_key IS NULL` : sql`workspaces.data_key = ${row.sealed}`}`,
        );
        // Otherwise somebody installed it at the same time, with a key of theirs.
        if (hasChanged(written)) break;
      }
      changed(workspaceId);
    },

    async counts() {
      const [row] = await database.read(
        sql`SELECT COUNT(*) - COUNT(held_until) AS installed, COUNT(held_until) - COUNT(gone_at) AS refused,
            COUNT(gone_at) AS gone, COUNT(CASE WHEN ${isLostRow} AND gone_at IS NULL THEN 1 END) AS lost,
            (SELECT COUNT(*) FROM workspaces WHERE id = organization_id) AS organizations
          FROM workspaces WHERE install_id IS NOT NULL AND purging IS NULL AND COALESCE(organization_id, '') <> id`,
        CountsRow,
      );
      return row ?? { installed: 0, refused: 0, gone: 0, lost: 0, organizations: 0 };
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
