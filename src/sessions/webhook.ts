import { z } from 'zod';
import type { Session } from '../cobrowse/schemas.ts';
import { readJson } from '../http/body.ts';
import type { Reply, Route } from '../http/server.ts';
import { DatabaseError } from '../database/database.ts';
import { inTime } from '../lifecycle/repeating.ts';
import type { IssuedLink } from '../messages/link-request.ts';
import type { TicketKind } from '../http/tickets.ts';
import { hasUsableId, isOfAnother } from './session-links.ts';
import type { SessionEnds } from './session-ends.ts';

export const Probe = z.object({ word: z.string() });
export type Probe = z.infer<typeof Probe>;

export const PROBE_TICKET_MS = 60_000;

const MOST_BYTES = 1_048_576;
/** The service gets an answer by then whatever the database does: several statements may each take their time. */
const ANSWER_WITHIN_MS = 5_500;
const Wrapped = z.object({ session: z.looseObject({}) });

export type WebhookOutcome =
  | 'accepted'
  | 'duplicate'
  | 'bad-ticket'
  | 'bad-body'
  /** The session began with a link other than the ticket's. */
  | 'another-link'
  /** The ticket has reported more sessions than one link can have. */
  | 'too-many'
  /** Everything of the ticket's workspace was removed. */
  | 'removed'
  | 'not-stored';

export type ReportWebhook = (outcome: WebhookOutcome, detail?: DatabaseError) => void;

export interface SessionEndRouteParts {
  readonly tickets: TicketKind<IssuedLink>;
  readonly probeTickets: TicketKind<Probe>;
  readonly check: () => Promise<void>;
  /** Also true where the app was removed from the workspace and can come back. */
  readonly isOwn: (link: IssuedLink) => Promise<boolean>;
  readonly sessionSchema: z.ZodType<Session>;
  /** Resolves only once it's durable. */
  readonly accept: (link: IssuedLink, session: Session) => ReturnType<SessionEnds['record']>;
  readonly patienceMs?: number;
  readonly report: ReportWebhook;
}

type Named = Readonly<Record<string, string>>;

const json = (status: number, body: Named, headers: Named = {}): Reply => ({
  status,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
  body: JSON.stringify(body),
});

/** Undefined for anything but a session, or if its id can't be stored. */
function readSession(value: unknown, schema: z.ZodType<Session>): Session | undefined {
  const wrapped = Wrapped.safeParse(value);
  const session = schema.safeParse(wrapped.success ? wrapped.data.session : value);
  return session.success && hasUsableId(session.data) ? session.data : undefined;
}

/**
 * `POST /webhooks/session-end/:ticket`: the body is a bare Session or `{"session": …}`, as JSON whatever it calls itself.
 * Answers 200 only once the session end is on disk; a repeated one makes no second summary. The document promises no
 * signature, so the ticket in the address proves the sender, and it appears in the logs of everything in between. That's
 * why a ticket can report only sessions of its own link, and only a few.
 */
export function createSessionEndRoute(parts: SessionEndRouteParts): Route {
  const { tickets, isOwn, sessionSchema, accept, report, patienceMs = ANSWER_WITHIN_MS } = parts;

  function refuse(status: number, error: string, outcome: WebhookOutcome = 'bad-body'): Reply {
    report(outcome);
    return json(status, { status: 'error', error });
  }

  /** For the doctor's webhook to our public address: proves that address, keys and database work, and leaves nothing behind. */
  const answerProbe = ({ word }: Probe): Promise<Reply> =>
    parts.check().then(
      () => json(200, { status: 'ok', probe: word }),
      () => json(503, { status: 'error', error: 'not stored' }),
    );

  const store = async (link: IssuedLink, session: Session) =>
    (await isOwn(link)) ? accept(link, session) : 'removed';

  async function keep(link: IssuedLink, session: Session): Promise<Reply> {
    try {
      // If it's late, it may still be stored. The service sends it again, which stores nothing twice.
      const outcome = await inTime(store(link, session), patienceMs, new DatabaseError('unknown'));
      if (outcome === 'removed') return refuse(410, 'the workspace was removed', outcome);
      if (outcome === 'too-many') return refuse(422, 'too many sessions for one link', outcome);
      report(outcome);
      return json(200, { status: 'ok' });
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error;
      report('not-stored', error);
      return json(503, { status: 'error', error: 'not stored, send it again' }, { 'retry-after': '10' });
    }
  }

  return {
    method: 'POST',
    path: '/webhooks/session-end/:ticket',
    async handle({ parameter, body }) {
      const reading = tickets.read(parameter);
      if (reading.state !== 'good') {
        const probe = parts.probeTickets.read(parameter);
        if (probe.state === 'good') return answerProbe(probe.content);
        // The same answer for every bad ticket, so that trying reveals nothing.
        return refuse(404, 'unknown address', 'bad-ticket');
      }
      const value = readJson(await body(MOST_BYTES), MOST_BYTES);
      if (value === undefined) return refuse(400, 'not JSON');
      const session = readSession(value, sessionSchema);
      if (session === undefined) return refuse(422, 'not a session with an id');
      const link = reading.content;
      if (isOfAnother(link, session)) return refuse(422, 'a session of another link', 'another-link');
      return keep(link, session);
    },
  };
}
