import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hkdfSync,
  randomBytes,
  type KeyObject,
} from 'node:crypto';
import { z } from 'zod';
import { jsonOf } from '../database/database.ts';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Seals text with AES-256-GCM: nonce (12 bytes) | sealed text | authentication tag (16). What it's for is authenticated too. */
export function seal(key: KeyObject, purpose: string, text: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(purpose));
  const sealed = [cipher.update(text, 'utf8'), cipher.final()];
  return Buffer.concat([nonce, ...sealed, cipher.getAuthTag()]);
}

/** Undefined if it was altered, or sealed with another key or for another purpose. */
export function unseal(key: KeyObject, purpose: string, bytes: Uint8Array): string | undefined {
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES))
    .setAAD(Buffer.from(purpose))
    .setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const sealed = bytes.subarray(NONCE_BYTES, -TAG_BYTES);
    return decipher.update(sealed, undefined, 'utf8') + decipher.final('utf8');
  } catch {
    return undefined;
  }
}

// The last part of an address we hand out: base64url of key id (4 bytes) | sealed [expiresAt, content], for one purpose only.
// Libraries for sealed JWTs are 8 to 15 times slower, and their tickets longer.
const KEY_ID_BYTES = 4;
const LONGEST_TICKET = 2_048;

const Sealed = jsonOf(z.tuple([z.int(), z.unknown()]));

/** What a ticket turns out to be, milliseconds since 1970. Only tickets that were really ours can be `expired`. */
export type TicketReading<T> =
  | { readonly state: 'good'; readonly content: T; readonly expiresAt: number }
  | { readonly state: 'expired' }
  | { readonly state: 'bad' };

/** One kind of ticket. Its content is sealed, so a ticket reveals nothing, and is checked again when it comes back. */
export interface TicketKind<T> {
  /** @throws RangeError if it would be longer than {@link TicketKind.read} accepts: better no button than a dead one */
  issue(content: T, lifetimeMs: number): string;
  /** Never throws. A ticket that isn't ours, was altered, or is for another purpose or a removed key is `bad`. */
  read(ticket: string): TicketReading<T>;
}

function deriveKey(secret: string) {
  const derive = (label: string, bytes: number) => Buffer.from(hkdfSync('sha256', secret, '', label, bytes));
  return { id: derive('ticket key id', KEY_ID_BYTES), secret: createSecretKey(derive('ticket key', 32)) };
}

/** @param secrets the key ring, newest first: the first one seals, all of them open */
export function createTickets(secrets: readonly [string, ...string[]], now: () => number = Date.now) {
  const [first, ...older] = secrets;
  const newest = deriveKey(first);
  const ring = [newest, ...older.map(deriveKey)];

  function close(purpose: string, plain: string): string {
    const sealed = seal(newest.secret, purpose, plain);
    const ticket = Buffer.concat([newest.id, sealed]).toString('base64url');
    if (ticket.length > LONGEST_TICKET) throw new RangeError(`A ${purpose} ticket would be too long.`);
    return ticket;
  }

  function open(purpose: string, ticket: string): string | undefined {
    if (ticket.length > LONGEST_TICKET) return undefined;
    const bytes = Buffer.from(ticket, 'base64url');
    // Node skips stray characters when decoding, so accept only the one spelling we would write.
    if (bytes.toString('base64url') !== ticket) return undefined;
    const key = ring.find(({ id }) => id.equals(bytes.subarray(0, KEY_ID_BYTES)));
    return key && unseal(key.secret, purpose, bytes.subarray(KEY_ID_BYTES));
  }

  return function ticketKind<T>(purpose: string, schema: z.ZodType<T>): TicketKind<T> {
    return {
      issue: (content, lifetimeMs) => close(purpose, JSON.stringify([now() + lifetimeMs, content])),
      read(ticket) {
        const opened = Sealed.safeParse(open(purpose, ticket));
        if (!opened.success) return { state: 'bad' };
        const [expiresAt, inside] = opened.data;
        const content = schema.safeParse(inside);
        if (!content.success) return { state: 'bad' };
        if (expiresAt <= now()) return { state: 'expired' };
        return { state: 'good', content: content.data, expiresAt };
      },
    };
  };
}

export type Tickets = ReturnType<typeof createTickets>;
