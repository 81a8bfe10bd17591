import { z } from 'zod';
import { describe, expect, it } from 'vitest';
import { startSandbox } from '../../sandbox/sandbox.ts';
import { keptLog } from '../support/checked-sandbox.ts';
import { signedSender } from '../support/signed.ts';
import { INHERITED, encoded, genuine, placesIn, withAt } from './genuine-payloads.ts';

/** `undefined` leaves the field out. */
const INSTEAD: readonly unknown[] = [undefined, null, 7, [null], {}];
const HOSTILE: readonly unknown[] = ['../usage <!channel>', '\u0000\ud800', 'x'.repeat(50_000), INHERITED];

/** What handlers read for themselves. Everything else is read once for all samples of a type, before them. */
const OWN = new Set(['actions', 'callback_id', 'event', 'view']);

const places = new Map(
  // Of several, the first one stays.
  genuine.toReversed().flatMap((payload, index) =>
    placesIn(payload)
      .slice(1)
      .map((path) => {
        const sharedBy = OWN.has(path[0] ?? '') ? index : payload['type'];
        return [`${String(sharedBy)} ${path.join('.')}`, { payload, path }] as const;
      }),
  ),
);

/** A sample with each place in it replaced by each of these. */
const mutatedBy = (values: readonly unknown[]) =>
  [...places.values()].flatMap(({ payload, path }) =>
    values.map((instead) => withAt(payload, path, instead)),
  );

const Line = z.object({
  level: z.number(),
  msg: z.string(),
  err: z.object({ message: z.string() }).optional(),
});

/** What the log says is broken, each kind once. */
const errorsIn = (lines: readonly string[]): readonly string[] => [
  ...new Set(
    lines
      .map((line) => Line.parse(JSON.parse(line)))
      // An answer that leads nowhere because of the changed field is one that was made.
      .filter(({ level, msg }) => level >= 50 && msg !== 'the answer could not be delivered')
      .map(({ msg, err }) => `${msg}: ${err?.message ?? ''}`),
  ),
];

/** What the log says once all of them were sent to the real app and everything is answered. */
async function logOf(payloads: readonly unknown[]): Promise<readonly string[]> {
  const { log, lines } = keptLog();
  const sandbox = await startSandbox({ log });
  try {
    const send = signedSender(sandbox);
    const refused: string[] = [];
    for (const payload of payloads) {
      const { body, type } = encoded(payload);
      const { status } = await send(body, { 'content-type': type });
      if (status !== 200) refused.push(`${status}: ${JSON.stringify(payload)}`);
    }
    expect(refused).toEqual([]);
    expect((await fetch(`${sandbox.publicUrl}/healthz`)).status).toBe(200);
  } finally {
    // Waits for what is still under way.
    await sandbox.close();
  }
  return lines;
}

const BOLT_WORDS = "Slack sent something that Bolt can't take apart";
const OUR_WORDS = "Slack sent something this app can't read";

describe('a payload of Slack’s with one field missing, of another type, or hostile', () => {
  it('is answered 200 without an error in the log, whatever kind it is', async () => {
    // The samples' own addresses and triggers lead nowhere.
    const usual = errorsIn(await logOf(genuine));
    const lines = await logOf(mutatedBy(INSTEAD));
    expect(errorsIn(lines).filter((error) => !usual.includes(error))).toEqual([]);
    expect(lines.join('')).toContain(BOLT_WORDS);
    expect(lines.join('')).toContain(OUR_WORDS);
  });

  it('is acknowledged and does no harm, however hostile', async () => {
    await logOf(mutatedBy(HOSTILE));
    // None of it got into Object.prototype.
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect('polluted' in {}).toBe(false);
  });
});
