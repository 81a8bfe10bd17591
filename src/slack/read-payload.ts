import type { z } from 'zod';
import type { Log } from '../log.ts';

/** What Slack sends, as the log names it. */
type PayloadKind =
  | 'command'
  | 'press'
  | 'form'
  | 'shortcut'
  | 'message shortcut'
  | 'search field'
  | 'opening of the Home tab'
  | 'channel event'
  | 'directory event';

/** Undefined if a payload isn't as it should be. That is logged, and the sender gets no answer. */
export type ReadPayload = <Payload>(
  kind: PayloadKind,
  schema: z.ZodType<Payload>,
  body: unknown,
) => Payload | undefined;

/** Logs the kind and the names of the wrong fields, never their content. */
export function createPayloadReader(log: Log): ReadPayload {
  return function readPayload(kind, schema, body) {
    const parsed = schema.safeParse(body);
    if (parsed.success) return parsed.data;
    // No deeper: further keys may have been chosen by a person.
    const fields = [...new Set(parsed.error.issues.map(({ path }) => path.slice(0, 2).join('.')))];
    log.warn({ kind, fields }, "Slack sent something this app can't read, so it wasn't answered");
    return undefined;
  };
}
