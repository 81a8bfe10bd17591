import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { recorded, type PreparedEntry } from '../audit/audit.ts';
import { jsonOf, rowOf, sql, type Database, type Sql } from '../database/database.ts';
import type { Viewer } from '../commands/rights.ts';
import type { App } from '../parts.ts';
import { Filters } from '../subscriptions/subscription.ts';
import { Secret, openSecret, sealSecret } from '../workspaces/data-keys.ts';

/** As many as a workspace can have: each is one more thing to tell of every session. */
export const MOST_ADDRESSES = 10;
/** How long a secret that was replaced signs, too. */
const OLD_SECRET_MS = 24 * 60 * 60_000;
/** What waits for an address that has taken nothing for this long isn't sent any more, except for one each time it's over again. */
export const PAUSED_AFTER_MS = 60 * 60_000;

export const addressColumns = sql`workspace_id, id, host, events, filters, names, added_by, added_at, failing_since, worked_at,
  held_until, off_at, version`;

const columns = {
  workspaceId: z.string(),
  id: z.string(),
  /** With the port, if it has one. */
  host: z.string(),
  events: jsonOf(z.array(z.string()).readonly()),
  filters: jsonOf(Filters),
  names: z.number(),
  addedBy: z.string(),
  addedAt: z.number(),
  /** Since when nothing was taken; undefined if the last one was. */
  failingSince: z.number().optional(),
  /** When it first took something, a test or an event; undefined if it's not known to have. */
  workedAt: z.number().optional(),
  /** When it's tried again, if not at once. */
  heldUntil: z.number().optional(),
  /** When it said that it's gone for good. */
  offAt: z.number().optional(),
  /** Counts the changes by people. */
  version: z.number(),
};

const named = <Row extends { readonly names: number }>({ names, ...row }: Row) => ({
  ...row,
  hasNames: names === 1,
});
const Row = rowOf(columns).transform(named);
/** With when the first message there is due. */
export const AddressDue = rowOf({ ...columns, dueAt: z.number() }).transform(named);
const SealedRow = rowOf({
  ...columns,
  address: z.string(),
  secret: z.string(),
  oldSecret: z.string().optional(),
  oldSecretUntil: z.number().default(0),
}).transform(named);

/** An address that a workspace's webhooks go to, without what is secret about it. Times are milliseconds since 1970. */
export type WebhookAddress = Readonly<z.infer<typeof Row>>;

/** What an admin chooses for an address: names of events, which sessions, and whether bodies have the customer's name. */
export type AddressChoices = Pick<WebhookAddress, 'events' | 'filters' | 'hasNames'>;
export type NewAddress = AddressChoices & { readonly url: URL; readonly secret: Secret };

export const isPaused = ({ failingSince }: Pick<WebhookAddress, 'failingSince'>, time: number): boolean =>
  failingSince !== undefined && failingSince <= time - PAUSED_AFTER_MS;

export type AddressName = Pick<WebhookAddress, 'workspaceId' | 'id'>;

export const isNamed = ({ workspaceId, id }: AddressName): Sql =>
  sql`webhook_addresses.workspace_id = ${workspaceId} AND webhook_addresses.id = ${id}`;

const newAddressId = () => `w${randomBytes(8).toString('hex').slice(1)}`;

/** Of one address: what is sealed for another can't be opened there. */
const placeOf = ({ workspaceId, id }: AddressName, column: 'address' | 'secret' | 'old_secret') =>
  ({ workspaceId, column: `webhook_addresses.${column} ${id}` }) as const;

export const waitsFor = ({ workspaceId, id }: AddressName): Sql =>
  sql`workspace_id = ${workspaceId} AND address_id = ${id} AND state = 'waiting'`;

interface AddressesParts extends Pick<App, 'keyOf' | 'keyMadeFor' | 'now'> {
  readonly database: Pick<Database, 'read' | 'writeIf'>;
}

function createReads({ database, keyOf, now }: AddressesParts) {
  return {
    /** In the order they were added. */
    list: (workspaceId: string): Promise<readonly WebhookAddress[]> =>
      database.read(
        sql`SELECT ${addressColumns} FROM webhook_addresses WHERE workspace_id = ${workspaceId} ORDER BY added_at, id`,
        Row,
      ),

    async one(name: AddressName) {
      const [found] = await database.read(
        sql`SELECT ${addressColumns} FROM webhook_addresses WHERE ${isNamed(name)}`,
        Row,
      );
      return found;
    },

    /**
     * One with its secrets, the newest first. They and `url` are undefined where their key in SECRET_KEYS is missing.
     *
     * @param tables where it's read; as people wait for it if not given
     */
    async open(name: AddressName, tables: Pick<Database, 'read'> = database) {
      const [found] = await tables.read(
        sql`SELECT ${addressColumns}, address, secret, old_secret, old_secret_until FROM webhook_addresses
          WHERE ${isNamed(name)}`,
        SealedRow,
      );
      if (found === undefined) return undefined;
      const { address, secret, oldSecret, oldSecretUntil, ...one } = found;
      const key = (await keyOf(name.workspaceId))?.key;
      const opened = (column: Parameters<typeof placeOf>[1], sealed?: string) =>
        openSecret(key, placeOf(name, column), sealed);
      const newest = opened('secret', secret);
      const old = oldSecretUntil > now() ? opened('old_secret', oldSecret) : undefined;
      const secrets = newest && (old ? [newest, old] : [newest]);
      return { ...one, url: opened('address', address), secrets };
    },
  };
}

/** Writes a change of one, with its entry. @returns whether it was still there as the condition says */
type Write = (entry: PreparedEntry, ...statements: [Sql, ...Sql[]]) => Promise<boolean>;

/** Changes of what is sealed. */
function createSealedChanges({ database, keyMadeFor, now }: AddressesParts, write: Write) {
  async function sealedWith(workspaceId: string) {
    const held = await keyMadeFor(workspaceId);
    if (held?.key === undefined) throw new Error(`There is no data key for the workspace ${workspaceId}.`);
    return { ...held, key: held.key };
  }

  return {
    /** Whether an address or a secret can be stored: not where the workspace's key in SECRET_KEYS is missing. */
    isSealable: async (workspaceId: string): Promise<boolean> =>
      (await keyMadeFor(workspaceId))?.key !== undefined,

    /** @returns its id; undefined where there are too many already */
    async add(
      { workspaceId, userId }: Viewer,
      { url, secret, events, filters, hasNames }: NewAddress,
      entry: PreparedEntry,
    ): Promise<string | undefined> {
      const { key, isStill } = await sealedWith(workspaceId);
      const id = newAddressId();
      const name = { workspaceId, id };
      const isAdded = await write(
        entry,
        sql`INSERT INTO webhook_addresses (workspace_id, id, host, address, secret, events, filters, names, added_by, added_at,
            version)
          SELECT ${workspaceId}, ${id}, ${url.host}, ${sealSecret(key, placeOf(name, 'address'), new Secret(url.href))},
            ${sealSecret(key, placeOf(name, 'secret'), secret)}, ${JSON.stringify(events)}, ${JSON.stringify(filters)},
            CAST(${Number(hasNames)} AS BIGINT), ${userId}, CAST(${Math.round(now())} AS BIGINT), 1
          WHERE ${isStill} AND (SELECT COUNT(*) FROM webhook_addresses
            WHERE workspace_id = ${workspaceId}) < ${MOST_ADDRESSES}`,
      );
      return isAdded ? id : undefined;
    },

    /** For a day, messages are signed with the new secret and the one before it. @returns false if it's gone */
    async rotate(name: AddressName, secret: Secret, entry: PreparedEntry): Promise<boolean> {
      const { key, isStill } = await sealedWith(name.workspaceId);
      const [found] = await database.read(
        sql`SELECT secret FROM webhook_addresses WHERE ${isNamed(name)}`,
        rowOf({ secret: z.string() }),
      );
      if (found === undefined) return false;
      const before = openSecret(key, placeOf(name, 'secret'), found.secret);
      const old = before === undefined ? null : sealSecret(key, placeOf(name, 'old_secret'), before);
      return write(
        entry,
        sql`UPDATE webhook_addresses SET secret = ${sealSecret(key, placeOf(name, 'secret'), secret)}, old_secret = ${old},
            old_secret_until = ${now() + OLD_SECRET_MS}, version = version + 1
          WHERE ${isNamed(name)} AND secret = ${found.secret} AND ${isStill}`,
      );
    },
  };
}

/** Where webhooks go. People's changes are written with their audit entries, both or neither. All reject with a DatabaseError. */
export function createWebhookAddresses(parts: AddressesParts) {
  const { database, now } = parts;
  const write: Write = async (entry, ...statements) =>
    (await recorded(entry, (statement) => database.writeIf(...statements, statement))) !== undefined;

  return {
    ...createReads(parts),
    ...createSealedChanges(parts, write),

    /** @param version the one that the person saw. @returns false if it was changed or removed since */
    change: (
      name: AddressName,
      { events, filters, hasNames }: AddressChoices,
      version: number,
      entry: PreparedEntry,
    ): Promise<boolean> =>
      write(
        entry,
        sql`UPDATE webhook_addresses SET events = ${JSON.stringify(events)}, filters = ${JSON.stringify(filters)},
            names = ${Number(hasNames)}, version = version + 1
          WHERE ${isNamed(name)} AND version = ${version}`,
      ),

    /** It took something: remembered of the first time. */
    async worked(name: AddressName): Promise<void> {
      await database.writeIf(
        sql`UPDATE webhook_addresses SET worked_at = ${now()} WHERE ${isNamed(name)} AND worked_at IS NULL`,
      );
    },

    /** With what waits for it. @returns false if it was gone already */
    remove: (name: AddressName, entry: PreparedEntry): Promise<boolean> =>
      write(
        entry,
        sql`DELETE FROM webhook_addresses WHERE ${isNamed(name)}`,
        sql`DELETE FROM webhook_messages WHERE ${waitsFor(name)}`,
      ),

    /** Lets one that is paused or switched off be tried again at once. @returns false if it's gone */
    resume: (name: AddressName, entry: PreparedEntry): Promise<boolean> =>
      write(
        entry,
        sql`UPDATE webhook_addresses SET held_until = NULL, failing_since = NULL, off_at = NULL
          WHERE ${isNamed(name)}`,
        sql`UPDATE webhook_messages SET due_at = ${now()} WHERE ${waitsFor(name)}`,
      ),
  };
}
export type WebhookAddresses = ReturnType<typeof createWebhookAddresses>;
