import { createHash, createSecretKey, hkdfSync, randomBytes, type KeyObject } from 'node:crypto';
import { inspect } from 'node:util';
import { seal, unseal } from '../http/tickets.ts';

const shown = '[secret]';

/** A workspace's token or key, which refuses to be written down: the log's scrubber only knows the environment's secrets. */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** The text itself, for the request it's for and nothing else. */
  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return shown;
  }

  toJSON(): string {
    return shown;
  }

  [inspect.custom](): string {
    return shown;
  }
}

/** A workspace's data key as its row has it: sealed, with the id of the key in SECRET_KEYS that it needs. */
export interface SealedDataKey {
  readonly sealed: string;
  readonly by: string;
}

/** Where a secret is: one that is moved to another place can't be opened. */
export interface SecretPlace {
  readonly workspaceId: string;
  readonly column: `${string}.${string}`;
}

/** The first eight digits of a key's SHA-256, by which log and doctor name it. */
const idOf = (secret: string) => createHash('sha256').update(secret).digest('hex').slice(0, 8);

const keyOf = (secret: string) =>
  createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', 'data key', 32)));

const purposeOf = ({ workspaceId, column }: SecretPlace) => `${column} of ${workspaceId}`;
const keyPurposeOf = (workspaceId: string) => purposeOf({ workspaceId, column: 'workspaces.data_key' });

/**
 * Each workspace has a random key, so a new one in SECRET_KEYS reseals one value each, and a purged one leaves nothing to open.
 * @param secrets the key ring, newest first: the first one seals, all of them open
 */
export function createDataKeys(secrets: readonly [string, ...string[]]) {
  const [first] = secrets;
  const newest = { id: idOf(first), key: keyOf(first) };
  const ring = new Map(secrets.map((secret) => [idOf(secret), keyOf(secret)]));

  function sealKey(workspaceId: string, key: KeyObject): SealedDataKey {
    const sealed = seal(newest.key, keyPurposeOf(workspaceId), key.export().toString('base64url'));
    return { sealed: sealed.toString('base64url'), by: newest.id };
  }

  return {
    /** The ids of the keys in the ring, the newest first. */
    ids: [...ring.keys()],
    create: () => createSecretKey(randomBytes(32)),
    sealKey,
    /** Undefined without the key in the ring that it needs, and if it was altered. */
    openKey(workspaceId: string, { sealed, by }: SealedDataKey): KeyObject | undefined {
      const key = ring.get(by);
      const text = key && unseal(key, keyPurposeOf(workspaceId), Buffer.from(sealed, 'base64url'));
      return text === undefined ? undefined : createSecretKey(text, 'base64url');
    },
  };
}
export type DataKeys = ReturnType<typeof createDataKeys>;

export const sealSecret = (key: KeyObject, place: SecretPlace, secret: Secret): string =>
  seal(key, purposeOf(place), secret.reveal()).toString('base64url');

/** Undefined without one or its key, if it was altered, and if it's another workspace's. */
export function openSecret(key: KeyObject | undefined, place: SecretPlace, sealed = ''): Secret | undefined {
  const text = key && unseal(key, purposeOf(place), Buffer.from(sealed, 'base64url'));
  return text === undefined ? undefined : new Secret(text);
}
