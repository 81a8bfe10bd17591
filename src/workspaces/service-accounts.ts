import { randomUUID, type KeyObject } from 'node:crypto';
import type { Dispatcher } from 'undici';
import { z } from 'zod';
import { recorded } from '../audit/audit.ts';
import { createCobrowse, type CobrowseSettings } from '../cobrowse/client.ts';
import { CobrowseError } from '../cobrowse/errors.ts';
import type { WireNames } from '../cobrowse/wire-names.ts';
import { rowOf, sql } from '../database/database.ts';
import { openSecret, sealSecret, type Secret } from './data-keys.ts';
import type { Installs } from './installs.ts';
import type { Changer, SettingsParts } from './settings.ts';

export interface Reachable<Key = Secret> {
  readonly address: string;
  readonly key: Key;
}

export interface NewAccount<Key = Secret> extends Reachable<Key> {
  readonly kind: 'cloud' | 'on-premise';
  /** Whether an installation is connected to the vendor's dashboard: otherwise it needs the cloud's license tokens. */
  readonly connected: boolean;
  /** The account in the cloud beside an installation, if there is one. */
  readonly cloud: Reachable<Key> | undefined;
}

/** An account in force. A key is undefined if it can't be opened: then the key in SECRET_KEYS that it needs is missing. */
export interface ServiceAccount extends NewAccount<Secret | undefined> {
  /** Random: another one for another account. */
  readonly id: string;
  readonly connectedBy: string;
  /** Milliseconds since 1970. */
  readonly connectedAt: number;
}

/** A workspace's own account: the latest that its admins connected, unless they disconnected it. */
export interface OwnAccount {
  readonly account: ServiceAccount | undefined;
  /** Counts the changes; 0 for none. */
  readonly version: number;
  readonly changedBy: string;
}

const Row = rowOf({
  version: z.number(),
  id: z.string(),
  kind: z.enum(['cloud', 'on-premise', 'none']),
  address: z.string().optional(),
  apiKey: z.string().optional(),
  connected: z.number().transform((connected) => connected === 1),
  cloudAddress: z.string().optional(),
  cloudKey: z.string().optional(),
  connectedBy: z.string(),
  connectedAt: z.number(),
});

type Column = 'service_accounts.api_key' | 'service_accounts.cloud_key';

function accountIn(
  workspaceId: string,
  { kind, address, apiKey, cloudAddress, cloudKey, ...row }: Omit<z.infer<typeof Row>, 'version'>,
  dataKey: KeyObject | undefined,
): ServiceAccount | undefined {
  if (kind === 'none' || address === undefined) return undefined;
  const opened = (column: Column, sealed?: string) => openSecret(dataKey, { workspaceId, column }, sealed);
  const key = opened('service_accounts.api_key', apiKey);
  const beside = opened('service_accounts.cloud_key', cloudKey);
  const cloud = cloudAddress === undefined ? undefined : { address: cloudAddress, key: beside };
  return { ...row, kind, address, key, cloud };
}

/** What the audit has of it: where it is, and never a key. */
const recordable = (account: NewAccount<unknown> | undefined) =>
  account === undefined ? null : { kind: account.kind, host: URL.parse(account.address)?.host ?? '' };

const isSameService = (one: Reachable | undefined, other: Reachable<Secret | undefined> | undefined) =>
  one?.address === other?.address && one?.key.reveal() === other?.key?.reveal();

const isSame = (next: NewAccount, before: ServiceAccount) =>
  next.kind === before.kind && isSameService(next, before) && isSameService(next.cloud, before.cloud);

const serviceOf = ({ address: baseUrl, key }: Reachable<Secret | undefined>) =>
  key && { baseUrl, apiKey: key.reveal() };

/** How an account is reached; not at all if a key of it can't be opened. */
export function reachedBy(
  { kind, address, key, connected, cloud: beside }: NewAccount<Secret | undefined>,
  wireNames: WireNames,
): CobrowseSettings {
  const none = { wireNames, cloud: undefined, onPremise: undefined };
  if (key === undefined) return none;
  const cloud = kind === 'cloud' ? serviceOf({ address, key }) : beside && serviceOf(beside);
  if (kind === 'cloud') return { ...none, cloud };
  const installation = { baseEndpoint: address, restKey: key.reveal() };
  if (cloud !== undefined) return { wireNames, cloud, onPremise: { ...installation, connected } };
  return connected ? { ...none, onPremise: { ...installation, connected } } : none;
}

/** What doesn't work with an account: with its service, or with the cloud beside an installation. */
export interface AccountProblem {
  readonly of: 'service' | 'cloud';
  readonly error: CobrowseError;
}

/** Asks each service of an account for as little as possible. Never rejects with a CobrowseError. */
export async function tryAccount(account: NewAccount, wireNames: WireNames, dispatcher: Dispatcher) {
  async function problemsOf(of: AccountProblem['of'], one: Reachable & Pick<NewAccount, 'kind'>) {
    const alone = reachedBy({ ...one, connected: true, cloud: undefined }, wireNames);
    const client = createCobrowse(alone, { dispatcher, keyHolder: 'workspace' });
    try {
      await (one.kind === 'cloud' ? client.usage() : client.listVisitors({ limit: 1 }));
      return [];
    } catch (error) {
      if (error instanceof CobrowseError) return [{ of, error }];
      throw error;
    }
  }
  const { cloud } = account;
  const besides = cloud && problemsOf('cloud', { ...cloud, kind: 'cloud' });
  return (await Promise.all([problemsOf('service', account), besides ?? []])).flat();
}

type AccountsParts = SettingsParts & { readonly installs: Pick<Installs, 'keyOf' | 'changed'> };

/** All reject with a DatabaseError. */
export function createServiceAccounts({ database, installs, prepare, now }: AccountsParts) {
  async function read(workspaceId: string, dataKey?: KeyObject): Promise<OwnAccount> {
    const [row] = await database.read(
      sql`SELECT version, id, kind, address, api_key, connected, cloud_address, cloud_key, connected_by, connected_at
        FROM service_accounts WHERE workspace_id = ${workspaceId} ORDER BY version DESC LIMIT 1`,
      Row,
    );
    if (row === undefined) return { account: undefined, version: 0, changedBy: '' };
    const { version, ...account } = row;
    const key = dataKey ?? (row.kind === 'none' ? undefined : (await installs.keyOf(workspaceId))?.key);
    return { account: accountIn(workspaceId, account, key), version, changedBy: row.connectedBy };
  }

  return {
    /** @param dataKey the workspace's, if it was read already */
    of: read,

    /** Forgets the keys of earlier ones. Changes nothing if somebody (`by`) has since changed the `version` that the person saw. */
    async change({ workspaceId, userId }: Changer, next: NewAccount | undefined, version: number) {
      for (;;) {
        const held = await installs.keyOf(workspaceId);
        if (held?.key === undefined)
          throw new Error(`There is no data key for the workspace ${workspaceId}.`);
        const { key, isStill } = held;
        const before = await read(workspaceId, key);
        if (before.version !== version) return { by: before.changedBy };
        const sealed = (column: Column, secret: Secret | undefined) =>
          secret ? sealSecret(key, { workspaceId, column }, secret) : null;
        const isKept = next !== undefined && before.account !== undefined && isSame(next, before.account);
        const id = isKept ? before.account.id : randomUUID();
        const detail = {
          setting: 'serviceAccount',
          from: JSON.stringify(recordable(before.account)),
          to: JSON.stringify(recordable(next)),
        };
        const entry = prepare({ workspaceId, userId, action: 'setting', outcome: 'done', detail });
        const written = await recorded(entry, (entrySql) =>
          database.writeIf(
            sql`INSERT INTO service_accounts (workspace_id, version, id, kind, address, api_key, connected, cloud_address,
                cloud_key, connected_by, connected_at)
              SELECT ${workspaceId}, CAST(${version + 1} AS BIGINT), ${id}, ${next?.kind ?? 'none'},
                ${next?.address ?? null}, ${sealed('service_accounts.api_key', next?.key)},
                CAST(${Number(next?.connected ?? false)} AS BIGINT), ${next?.cloud?.address ?? null},
                ${sealed('service_accounts.cloud_key', next?.cloud?.key)}, ${userId}, CAST(${Math.round(now())} AS BIGINT)
              WHERE ${isStill} ON CONFLICT DO NOTHING`,
            sql`UPDATE service_accounts SET api_key = NULL, cloud_key = NULL
              WHERE workspace_id = ${workspaceId} AND version <= ${version}`,
            entrySql,
          ),
        );
        // Otherwise somebody was faster, or the workspace's data key was sealed again.
        if (written === undefined) continue;
        installs.changed(workspaceId);
        return 'changed';
      }
    },
  };
}
export type ServiceAccounts = ReturnType<typeof createServiceAccounts>;
