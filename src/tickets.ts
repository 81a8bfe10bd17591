import { createSecretKey, hkdfSync } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { z } from 'zod';
import { seal as sealText, unseal as unsealText } from './sealing.ts';

/*
 * A ticket is the last part of an address we hand out: base64url of key id (4 bytes) | nonce (12) | sealed {expiresAt,
 * content} | authentication tag (16). It is sealed for its purpose, so a ticket
 * for one route opens no other. Written directly on node:crypto: libraries for sealed JWTs are 8 to 15 times slower,
 * and their tickets longer.
 */
const KEY_ID_BYTES = 4;
const LONGEST_TICKET = 2_048;

const Sealed = z.tuple([z.int(), z.unknown()]);

/** What a ticket turns out to be, milliseconds since 1970. Only tickets that were really ours can be `expired`. */
export type TicketReading<T> =
  | { readonly state: 'good'; readonly content: T; readonly expiresAt: number }
  | { readonly state: 'expired' }
  | { readonly state: 'bad' };

/** One kind of ticket. Its content is sealed, so a ticket reveals nothing, and is checked again when it comes back. */
export interface TicketKind<T> {
  /**
   * @param lifetimeMs how long the ticket is valid
   * @throws RangeError if the ticket would be longer than {@link TicketKind.read} accepts: better no button than a dead
   *   one
   */
  issue(content: T, lifetimeMs: number): string;
  /** Never throws. A ticket that isn't ours, was altered, or is for another purpose or a removed key is `bad`. */
  read(ticket: string): TicketReading<T>;
}

interface Key {
  readonly id: Buffer;
  readonly secret: KeyObject;
}

function deriveKey(secret: string): Key {
  const derive = (label: string, bytes: number) => Buffer.from(hkdfSync('sha256', secret, '', label, bytes));
  return {
    id: derive('ticket key id', KEY_ID_BYTES),
    secret: createSecretKey(derive('ticket key', 32)),
  };
}

/**
 * @param secrets the key ring, newest first: the first one seals, all of them open
 * @param now milliseconds since 1970
 */
export function createTickets(secrets: readonly [string, ...string[]], now: () => number = Date.now) {
  const [first, ...older] = secrets;
  const newest = deriveKey(first);
  const ring = [newest, ...older.map(deriveKey)];

  function seal(purpose: string, plain: string): string {
    const sealed = sealText(newest.secret, purpose, plain);
    const ticket = Buffer.concat([newest.id, sealed]).toString('base64url');
    if (ticket.length > LONGEST_TICKET) throw new RangeError(`A ${purpose} ticket would be too long.`);
    return ticket;
  }

  function unseal(purpose: string, ticket: string): unknown {
    if (ticket.length > LONGEST_TICKET) return undefined;
    const bytes = Buffer.from(ticket, 'base64url');
    // Node skips stray characters when decoding, so accept only the one spelling we would write.
    if (bytes.toString('base64url') !== ticket) return undefined;
    const key = ring.find(({ id }) => id.equals(bytes.subarray(0, KEY_ID_BYTES)));
    if (key === undefined) return undefined;
    const plain = unsealText(key.secret, purpose, bytes.subarray(KEY_ID_BYTES));
    try {
      return plain === undefined ? undefined : JSON.parse(plain);
    } catch {
      return undefined;
    }
  }

  return function ticketKind<T>(purpose: string, schema: z.ZodType<T>): TicketKind<T> {
    return {
      issue: (content, lifetimeMs) => seal(purpose, JSON.stringify([now() + lifetimeMs, content])),
      read(ticket) {
        const opened = Sealed.safeParse(unseal(purpose, ticket));
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
