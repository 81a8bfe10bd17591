import { z } from 'zod';
import type { Reply } from '../http/server.ts';
import type { TicketKind } from '../http/tickets.ts';

/** A probe's ticket holds a word to send back. */
export const Probe = z.object({ word: z.string() });
export type Probe = z.infer<typeof Probe>;

/** Long enough for one round trip. */
export const PROBE_TICKET_MS = 60_000;

interface ProbeParts {
  readonly tickets: TicketKind<Probe>;
  /** Checks that the database can be written to. */
  readonly check: () => Promise<void>;
}

/**
 * Answers a webhook that the doctor sent to our public address. It proves that the address, the keys and the database
 * work, and leaves nothing behind. Undefined for every ticket that isn't a probe's.
 */
export type AnswerProbe = (ticket: string) => Promise<Reply | undefined>;

export function createProbe({ tickets, check }: ProbeParts): AnswerProbe {
  return async function answer(ticket) {
    const reading = tickets.read(ticket);
    if (reading.state !== 'good') return undefined;
    const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
    try {
      await check();
    } catch {
      return { status: 503, headers, body: JSON.stringify({ status: 'error', error: 'not stored' }) };
    }
    return { status: 200, headers, body: JSON.stringify({ status: 'ok', probe: reading.content.word }) };
  };
}
