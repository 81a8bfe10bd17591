import { randomBytes, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import type { PreparedEntry } from '../audit/audit.ts';
import { sql, type Database, type Sql } from '../database/database.ts';
import { Filters } from '../subscriptions/subscription.ts';
import { Secret, openSecret, sealSecret } from '../workspaces/data-keys.ts';
import type { HeldKey } from '../workspaces/installs.ts';

/** As many as a workspace can have: each is one more thing to tell of every session. */
export const MOST_ADDRESSES = 10;
/** How long a secret that was replaced signs, too. */
const OLD_SECRET_MS = 24 * 60 * 60_000;
/** What waits for an address that takes nothing isn't sent any more after this long, except for one now and then. */
export const PAUSED_AFTER_MS = 60 * 60_000;
/** Topic under which processes tell each other that a workspace's addresses changed; the text is its id. */
const CHANGED = 'webhook-addresses';
/** Where a hint is lost, another process notices a change within this time. */
const KNOWN_FOR_MS = 60_000;

/** What an admin chooses for an address. */
export interface AddressChoices {
  /** Names of events. */
  readonly events: readonly string[];
  /** Which sessions. */
  readonly filters: Filters;
  /** Whether bodies have the customer's name. */
  readonly hasNames: boolean;
}

/** An address that a workspace's webhooks go to, without what is secret about it. Times are milliseconds since 1970. */
export interface WebhookAddress extends AddressChoices {
  readonly workspaceId: string;
  readonly id: string;
  /** Of the address: with the port, if it has one. */
  readonly host: string;
  /** A user's id. */
  readonly addedBy: string;
  readonly addedAt: number;
  /** Since when nothing was taken; undefined if the last one was. */
  readonly failingSince: number | undefined;
  /** When it first took something, a test or an event; undefined if it's not known to have. */
  readonly workedAt: number | undefined;
  /** When it's tried again, if not at once. */
  readonly heldUntil: number | undefined;
  /** When it said that it's gone for good. */
  readonly offAt: number | undefined;
  /** Counts the changes by people. */
  readonly version: number;
}

/** With what it takes to reach it. Each is undefined if it can't be opened: then its key in SECRET_KEYS is missing. */
export interface OpenedAddress extends WebhookAddress {
  readonly url: Secret | undefined;
  /** What messages are signed with: the newest first. */
  readonly secrets: readonly Secret[] | undefined;
}

export const isPaused = ({ failingSince }: Pick<WebhookAddress, 'failingSince'>, time: number): boolean =>
  failingSince !== undefined && failingSince <= time - PAUSED_AFTER_MS;

/** Whose address. */
export interface AddressName {
  readonly workspaceId: string;
  readonly id: string;
}

export const isNamed = ({ workspaceId, id }: AddressName): Sql =>
  sql`webhook_addresses.workspace_id = ${workspaceId} AND webhook_addresses.id = ${id}`;

const undefinedIfNull = z
  .number()
  .nullable()
  .transform((value) => value ?? undefined);

const json = <Schema extends z.ZodType>(schema: Schema) =>
  z
    .string()
    .transform((text): unknown => JSON.parse(text))
    .pipe(schema);

export const addressColumns = sql`workspace_id, id, host, events, filters, names, added_by, added_at, failing_since, worked_at,
  held_until, off_at, version`;

const row = z.object({
  workspace_id: z.string(),
  id: z.string(),
  host: z.string(),
  events: json(z.array(z.string())),
  filters: json(Filters),
  names: z.number(),
  added_by: z.string(),
  added_at: z.number(),
  failing_since: undefinedIfNull,
  worked_at: undefinedIfNull,
  held_until: undefinedIfNull,
  off_at: undefinedIfNull,
  version: z.number(),
});

const addressIn = (found: z.infer<typeof row>): WebhookAddress => ({
  workspaceId: found.workspace_id,
  id: found.id,
  host: found.host,
  events: found.events,
  filters: found.filters,
  hasNames: found.names === 1,
  addedBy: found.added_by,
  addedAt: found.added_at,
  failingSince: found.failing_since,
  workedAt: found.worked_at,
  heldUntil: found.held_until,
  offAt: found.off_at,
  version: found.version,
});

const Row = row.transform(addressIn);

/** With when the first message there is due, and can be sent. */
export const AddressDue = row
  .extend({ due_at: z.number() })
  .transform((found) => ({ address: addressIn(found), at: Math.max(found.due_at, found.held_until ?? 0) }));

const SealedRow = row.extend({
  address: z.string(),
  secret: z.string(),
  old_secret: z.string().nullable(),
  old_secret_until: z.number().nullable(),
});

const newAddressId = () => `w${randomBytes(8).toString('hex').slice(1)}`;

/** Of one address: what is sealed for another can't be opened there. */
const placeOf = ({ workspaceId, id }: AddressName, column: 'address' | 'secret' | 'old_secret') =>
  ({ workspaceId, column: `webhook_addresses.${column} ${id}` }) as const;

/** The messages that wait for an address. */
export const waitsFor = ({ workspaceId, id }: AddressName): Sql =>
  sql`workspace_id = ${workspaceId} AND address_id = ${id} AND state = 'waiting'`;

/**
 * Where workspaces' webhooks go, durable. What people change is written with its audit entry: both or neither. All reject with
 * a DatabaseError.
 */
export function createWebhookAddresses({
  database,
  keyOf,
  keyMadeFor,
  now,
  elapsed,
}: {
  readonly database: Pick<Database, 'read' | 'writeIf' | 'notify' | 'listen'>;
  /** What a workspace's secrets are sealed with. */
  readonly keyOf: (workspaceId: string) => Promise<HeldKey | undefined>;
  /** The same, and made where there's none yet. */
  readonly keyMadeFor: (workspaceId: string) => Promise<HeldKey | undefined>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds from any moment on: nobody sets this clock. */
  readonly elapsed: () => number;
}) {
  const known = new Map<string, { readonly all: readonly WebhookAddress[]; readonly readAt: number }>();
  let changes = 0;
  function forget(workspaceId: string): void {
    changes += 1;
    known.delete(workspaceId);
  }
  const stopListening = database.listen(CHANGED, forget);

  /** Makes every process read a workspace's addresses again. */
  function changed(workspaceId: string): void {
    forget(workspaceId);
    database.notify(CHANGED, workspaceId);
  }

  const list = (workspaceId: string): Promise<readonly WebhookAddress[]> =>
    database.read(
      sql`SELECT ${addressColumns} FROM webhook_addresses WHERE workspace_id = ${workspaceId} ORDER BY added_at, id`,
      Row,
    );

  /** Writes a change of one, with its entry. @returns whether it was still there as the condition says */
  async function write(
    { workspaceId }: AddressName,
    entry: PreparedEntry,
    change: Sql,
    ...others: readonly Sql[]
  ): Promise<boolean> {
    const written = await database.writeIf(change, ...others, entry.statement);
    if (written === undefined) return false;
    entry.report();
    changed(workspaceId);
    return true;
  }

  async function sealedWith(workspaceId: string) {
    const held = await keyMadeFor(workspaceId);
    if (held?.key === undefined) throw new Error(`There is no data key for the workspace ${workspaceId}.`);
    return { ...held, key: held.key };
  }

  return {
    /** A workspace's, in the order they were added. */
    list,

    /** The same as they were at most a minute ago: for what happens in every session. */
    async known(workspaceId: string): Promise<readonly WebhookAddress[]> {
      const last = known.get(workspaceId);
      const [readAt, before] = [elapsed(), changes];
      if (last !== undefined && readAt - last.readAt < KNOWN_FOR_MS) return last.all;
      const all = await list(workspaceId);
      // What was read before a change is asked for again.
      if (changes === before) known.set(workspaceId, { all, readAt });
      return all;
    },

    async one({ workspaceId, id }: AddressName): Promise<WebhookAddress | undefined> {
      const [found] = await database.read(
        sql`SELECT ${addressColumns} FROM webhook_addresses WHERE ${isNamed({ workspaceId, id })}`,
        Row,
      );
      return found;
    },

    /** One with its secrets, to send something there. @param tables where it's read; as people wait for it if not given */
    async open(name: AddressName, tables = database): Promise<OpenedAddress | undefined> {
      const [found] = await tables.read(
        sql`SELECT ${addressColumns}, address, secret, old_secret, old_secret_until FROM webhook_addresses
          WHERE ${isNamed(name)}`,
        SealedRow,
      );
      if (found === undefined) return undefined;
      const key: KeyObject | undefined = (await keyOf(name.workspaceId))?.key;
      const opened = (column: Parameters<typeof placeOf>[1], sealed: string | null) =>
        key === undefined || sealed === null ? undefined : openSecret(key, placeOf(name, column), sealed);
      const secret = opened('secret', found.secret);
      const isOldGood = found.old_secret_until !== null && found.old_secret_until > now();
      const old = isOldGood ? opened('old_secret', found.old_secret) : undefined;
      return {
        ...addressIn(found),
        url: opened('address', found.address),
        secrets: secret === undefined ? undefined : old === undefined ? [secret] : [secret, old],
      };
    },

    /** Whether an address or a secret can be stored: not where the workspace's key in SECRET_KEYS is missing. */
    isSealable: async (workspaceId: string): Promise<boolean> =>
      (await keyMadeFor(workspaceId))?.key !== undefined,

    /**
     * Adds one.
     *
     * @param entryOf given the new id
     * @returns its id; undefined where there are too many already
     */
    async add(
      { workspaceId, userId }: { readonly workspaceId: string; readonly userId: string },
      {
        url,
        secret,
        events,
        filters,
        hasNames,
      }: AddressChoices & { readonly url: URL; readonly secret: Secret },
      entryOf: (id: string) => PreparedEntry,
    ): Promise<string | undefined> {
      const { key, isStill } = await sealedWith(workspaceId);
      const id = newAddressId();
      const name = { workspaceId, id };
      const isAdded = await write(
        name,
        entryOf(id),
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

    /** @param version the one that the person saw. @returns false if it was changed or removed since */
    change: (
      name: AddressName,
      { events, filters, hasNames }: AddressChoices,
      version: number,
      entry: PreparedEntry,
    ): Promise<boolean> =>
      write(
        name,
        entry,
        sql`UPDATE webhook_addresses SET events = ${JSON.stringify(events)}, filters = ${JSON.stringify(filters)},
            names = ${Number(hasNames)}, version = version + 1
          WHERE ${isNamed(name)} AND version = ${version}`,
      ),

    /** For a day, messages are signed with the new secret and the one before it. @returns false if it's gone */
    async rotate(name: AddressName, secret: Secret, entry: PreparedEntry): Promise<boolean> {
      const { workspaceId } = name;
      const { key, isStill } = await sealedWith(workspaceId);
      const [found] = await database.read(
        sql`SELECT secret FROM webhook_addresses WHERE ${isNamed(name)}`,
        z.object({ secret: z.string() }),
      );
      if (found === undefined) return false;
      const before = openSecret(key, placeOf(name, 'secret'), found.secret);
      const old = before === undefined ? null : sealSecret(key, placeOf(name, 'old_secret'), before);
      return write(
        name,
        entry,
        sql`UPDATE webhook_addresses SET secret = ${sealSecret(key, placeOf(name, 'secret'), secret)}, old_secret = ${old},
            old_secret_until = ${now() + OLD_SECRET_MS}, version = version + 1
          WHERE ${isNamed(name)} AND secret = ${found.secret} AND ${isStill}`,
      );
    },

    /** It took something: remembered of the first time. */
    async worked(name: AddressName): Promise<void> {
      await database.writeIf(
        sql`UPDATE webhook_addresses SET worked_at = ${now()} WHERE ${isNamed(name)} AND worked_at IS NULL`,
      );
    },

    /** What waits for it is dropped by the next round of the limits. @returns false if it was gone already */
    remove: (name: AddressName, entry: PreparedEntry): Promise<boolean> =>
      write(name, entry, sql`DELETE FROM webhook_addresses WHERE ${isNamed(name)}`),

    /** Lets one that is paused or switched off be tried again at once. @returns false if it's gone */
    resume: (name: AddressName, entry: PreparedEntry): Promise<boolean> =>
      write(
        name,
        entry,
        sql`UPDATE webhook_addresses SET held_until = NULL, failing_since = NULL, off_at = NULL
          WHERE ${isNamed(name)}`,
        sql`UPDATE webhook_messages SET due_at = ${now()}, failing_since = NULL WHERE ${waitsFor(name)}`,
      ),

    changed,
    stopListening,
  };
}
export type WebhookAddresses = ReturnType<typeof createWebhookAddresses>;
