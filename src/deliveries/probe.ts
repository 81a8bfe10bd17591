import { z } from 'zod';
import type { Reply } from '../http/routes.ts';
import type { TicketKind } from '../tickets/tickets.ts';

/** What a probe's ticket says: a word to be answered. */
export const Probe = z.object({ word: z.string() });
export type Probe = z.infer<typeof Probe>;

/** Long enough for one round trip. */
export const PROBE_TICKET_MS = 60_000;

interface ProbeParts {
  readonly tickets: TicketKind<Probe>;
  /** Proves that the store can be written to. */
  readonly check: () => Promise<void>;
}

/**
 * Answers a webhook that the doctor sent by our public address: it proves that the way, the keys and the store are good,
 * and leaves nothing behind. Undefined for every ticket but a probe's.
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
