import { WebClient } from '@slack/web-api';
import { z } from 'zod';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startSandbox } from '../../sandbox/sandbox.ts';
import { createBoltApp } from '../../src/slack/bolt.ts';
import { appsCatalog } from '../support/catalog.ts';
import { listenForInteractions } from '../../src/slack/interactions.ts';
import { createAnswerer } from '../../src/slack/answer.ts';
import { createPayloadReader } from '../../src/slack/payloads.ts';
import { createSocketReceiver } from '../../src/slack/socket-receiver.ts';
import { webClientOptions } from '../../src/workspaces/web-client.ts';
import { keptLog } from '../support/checked-sandbox.ts';
import { signedSender } from '../support/signed.ts';
import { startSocketSlack } from './socket-slack.ts';
import { encoded, genuine, withAt } from './spoiled-payload.ts';

/** `undefined` leaves the field out. */
const INSTEAD: readonly unknown[] = [undefined, null, true, 7, 'text', [], [null], {}];

const fieldsOf = (value: unknown): readonly string[] =>
  typeof value === 'object' && value !== null ? Object.keys(value) : [];

/** Each sample with one field of it, or of an object or list in it, left out, null or of another type. */
const mutated = genuine.flatMap((payload) =>
  Object.entries(payload)
    .flatMap(([name, inner]) => [[name], ...fieldsOf(inner).map((field) => [name, field])])
    .flatMap((path) => INSTEAD.map((instead) => withAt(payload, path, instead))),
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
  } finally {
    // Waits for what is still under way.
    await sandbox.close();
  }
  return lines;
}

const BOLT_WORDS = "Slack sent something that Bolt can't take apart";
const OUR_WORDS = "Slack sent something this app can't read";

describe('a payload of Slack’s with one field missing or of another type', () => {
  it('is answered 200 without an error in the log, whatever kind it is', async () => {
    // The samples' own addresses and triggers lead nowhere.
    const usual = errorsIn(await logOf(genuine));
    const lines = await logOf(mutated);
    expect(errorsIn(lines).filter((error) => !usual.includes(error))).toEqual([]);
    expect(lines.join('')).toContain(BOLT_WORDS);
    expect(lines.join('')).toContain(OUR_WORDS);
  });

  it('is acknowledged in Socket Mode too', async () => {
    const slack = await startSocketSlack();
    const { log, lines } = keptLog();
    const client = new WebClient('xapp-test', webClientOptions({ apiUrl: slack.apiUrl, log }));
    const receiver = createSocketReceiver({ client, log, waitAfter: () => 1 });
    const bolt = createBoltApp(receiver, slack.apiUrl, log);
    const read = createPayloadReader(log);
    listenForInteractions(bolt, {
      catalog: await appsCatalog(),
      ifAllowed: ({ run }, about, who) => run(about, who),
      // Everything that was read ends here.
      workspaceOf: async () => undefined,
      unknownWorkspace: () => undefined,
      answerer: createAnswerer({
        log,
        newReference: () => 'none',
        now: Date.now,
        report: () => undefined,
        readerOf: async () => ({}),
        messagePrivately: async () => undefined,
      }),
      isOwnBot: async () => false,
      read,
      home: { show: async () => undefined, renew: async () => undefined },
      failedHome: () => ({ type: 'home', blocks: [] }),
      greet: () => undefined,
      prefetch: () => undefined,
      report: () => undefined,
    });
    const opened = slack.next();
    await bolt.start();
    onTestFinished(async () => void (await bolt.stop()));
    const { socket } = await opened;
    for (const [index, payload] of mutated.entries())
      socket.send(JSON.stringify({ envelope_id: String(index), type: 'interactive', payload }));
    await expect.poll(() => slack.acks.size).toBe(mutated.length);
    expect(errorsIn(lines)).toEqual([]);
    expect(lines.join('')).toContain(BOLT_WORDS);
    expect(lines.join('')).toContain(OUR_WORDS);
  });
});
