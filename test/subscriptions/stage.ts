import { expect, onTestFinished } from 'vitest';
import { z } from 'zod';
import { startSandbox, type Sandbox } from '../../sandbox/sandbox.ts';
import type { PageMessage } from '../../sandbox/slack/page-api.ts';
import { PATIENT_MS, expectSound, keptLog } from '../support/checked-sandbox.ts';
import { ALEX, SUPPORT, personIn } from '../support/person.ts';
import { linesAbout } from '../sessions/webhook-stage.ts';

export const ADA = 'U0ADA000005';
export const GUEST = 'U0GUEST0004';
export const RANDOM = 'C0RANDOM003';

/** What the log says of a delivery, or of what a session's end came to. */
const LogLine = z.object({
  outcome: z.string().optional(),
  reason: z.string().optional(),
  subscriptions: z.array(z.string()).default([]),
  deliveries: z.array(z.object({ subscriptions: z.array(z.string()) })).optional(),
});

interface Watching {
  /** Who watches; Alex. */
  readonly as?: string;
  /** Where they type the command; #support. */
  readonly channel?: string;
  /** Whom they watch; Jane. */
  readonly visitorId?: string;
  /** What happens between the press and the end. */
  readonly meanwhile?: () => Promise<void>;
}

/** What the app posted, beside what was for one person's eyes: in a channel, or in somebody's direct messages. */
export const postsIn = (
  { slack }: Pick<Sandbox, 'slack'>,
  channel: string,
  userId: string = ALEX,
): readonly PageMessage[] =>
  slack
    .snapshot(userId)
    .messages.filter((one) => one.channel === channel && !one.ephemeral && one.user === 'U0COBROWSE');

/** A sandbox for one test, at the end of which everything that the app sent must be sound. */
export async function openStage(options: Parameters<typeof startSandbox>[0] = {}) {
  const { log, lines } = keptLog();
  const sandbox = await startSandbox({
    paceMs: 0,
    pageWaitMs: PATIENT_MS,
    log,
    ...options,
  });
  onTestFinished(async () => {
    await sandbox.close();
    expectSound(sandbox);
  });
  const alex = personIn(sandbox);

  const posts = (channel: string, userId?: string) => postsIn(sandbox, channel, userId);
  const summaries = (channel: string) => posts(channel).filter(({ text }) => text.includes('session ended'));

  /** Somebody watches a visitor, and the session ends: the service tells of it. Gives its id. */
  async function watchAndEnd(watching: Watching = {}): Promise<string> {
    const { as = ALEX, channel = SUPPORT, visitorId = 'jane4821', meanwhile } = watching;
    const person = personIn(sandbox, as, channel);
    const offer = await person.type(`/cobrowse watch ${visitorId}`);
    const redirect = await person.watch(offer);
    const { id } = await sandbox.service.openWatchLink(redirect.headers.get('location') ?? '');
    await meanwhile?.();
    await sandbox.service.endSession(id);
    return id;
  }

  /** What the log says of the delivery of a session to a subscription. */
  const saidOf = (sessionId: string, subscription: string) =>
    linesAbout(lines, sessionId)
      .map((line) => LogLine.parse(JSON.parse(line)))
      .filter(({ subscriptions }) => subscriptions.includes(subscription));

  /** How that delivery ended: `filtered_out`, too, where there was none because nobody had to be asked. */
  async function settled(sessionId: string, subscription: string): Promise<string> {
    const handedOn = () => lines.find((line) => line.includes(`"session":"${sessionId}","deliveries"`));
    await expect.poll(handedOn).toBeDefined();
    const { deliveries = [] } = LogLine.parse(JSON.parse(handedOn() ?? '{}'));
    if (!deliveries.some(({ subscriptions }) => subscriptions.includes(subscription))) return 'filtered_out';
    const ending = () => saidOf(sessionId, subscription).find(({ outcome }) => outcome !== 'later');
    await expect.poll(ending).toBeDefined();
    const { outcome, reason } = ending() ?? {};
    return reason ?? outcome ?? '';
  }

  return { sandbox, alex, logLines: lines, posts, summaries, watchAndEnd, saidOf, settled };
}
