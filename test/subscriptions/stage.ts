import { expect, onTestFinished } from 'vitest';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import type { PageMessage } from '../../src/sandbox/slack/page-api.ts';
import { expectSound, keptLog } from '../support/checked-sandbox.ts';
import { ALEX, SUPPORT, personIn } from '../support/person.ts';

export const ADA = 'U0ADA000005';
export const GUEST = 'U0GUEST0004';
export const RANDOM = 'C0RANDOM003';

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

/** A sandbox for one test, at the end of which everything that the app sent must be sound. */
export async function openStage(options: Parameters<typeof startSandbox>[0] = {}) {
  const { log, lines } = keptLog();
  const sandbox = await startSandbox({ paceMs: 0, log, ...options });
  onTestFinished(async () => {
    await sandbox.close();
    expectSound(sandbox);
  });
  const alex = personIn(sandbox);

  /** What the app posted, beside what was for one person's eyes: in a channel, or in somebody's direct messages. */
  const posts = (channel: string, userId: string = ALEX): readonly PageMessage[] =>
    sandbox.slack
      .snapshot(userId)
      .messages.filter(
        (message) => message.channel === channel && !message.ephemeral && message.user === 'U0COBROWSE',
      );
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

  /** How the delivery of a session to a subscription ended, as the log has it. */
  async function settled(sessionId: string, subscription: string): Promise<string> {
    const isIt = (line: string) =>
      line.includes(`${sessionId}:sub:${subscription}"`) && !line.includes('"later"');
    await expect.poll(() => lines.some(isIt), { timeout: 5_000 }).toBe(true);
    return lines.find(isIt) ?? '';
  }

  return { sandbox, alex, logLines: lines, posts, summaries, watchAndEnd, settled };
}
