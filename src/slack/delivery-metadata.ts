import { z } from 'zod';

const EVENT_TYPE = 'cobrowse_session_ended';

/** What a summary carries for those who look for it: an id and nothing else, since members and other apps can read it. */
export function deliveryMetadata(deliveryId: string) {
  return { event_type: EVENT_TYPE, event_payload: { delivery: deliveryId } };
}

const Carrier = z.object({
  ts: z.string(),
  metadata: z.object({
    event_type: z.literal(EVENT_TYPE),
    event_payload: z.object({ delivery: z.string() }),
  }),
});

/** The `ts` of a message as Slack's history gives it, where it carries this delivery's id. */
export function carries(message: unknown, deliveryId: string): string | undefined {
  const read = Carrier.safeParse(message);
  return read.success && read.data.metadata.event_payload.delivery === deliveryId ? read.data.ts : undefined;
}
