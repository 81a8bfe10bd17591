import { setTimeout as pause } from 'node:timers/promises';
import type { Session } from '../../sandbox/service/session.ts';
import type { Fate } from './fate.ts';
import type { Stage } from './stage.ts';

/** What became of the webhooks of one ended session. */
export interface Told {
  readonly fate: Fate;
  readonly sessionId: string;
  /** When it ended, by how many calls Slack had got. */
  readonly endedAt: number;
  /** When the app answered one with 200, likewise: from then on the summary is its promise. Undefined: it never did. */
  acknowledgedAt: number | undefined;
}

const AGAIN_AFTER_MS = 400;
const ANSWER_WITHIN_MS = 5_000;
/** How long nothing can be written while a webhook comes: who answers 200 in that time has promised what is not on disk. */
const HELD_MS = 500;

async function post(url: string, session: Session): Promise<boolean> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', connection: 'close' },
      body: JSON.stringify(session),
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    await response.body?.cancel();
    return response.status === 200;
  } catch {
    return false;
  }
}

/** Sends the webhooks of an ended session as its fate wants it. Resolves when the last one is through or given up. */
export async function tell(
  { time, app, slack, holdStore }: Pick<Stage, 'time' | 'app' | 'slack' | 'holdStore'>,
  told: Told,
  { url, session }: { readonly url: string; readonly session: Session },
): Promise<void> {
  const { webhooks, sentAgain, killsAtOnce } = told.fate;
  let isKilled = !killsAtOnce;

  async function send(): Promise<boolean> {
    const isTaken = await post(url, session);
    if (!isTaken) return false;
    const isFirst = told.acknowledgedAt === undefined;
    told.acknowledgedAt ??= slack.calls.length;
    if (isFirst && !isKilled) {
      isKilled = true;
      // All of them: what one has only in memory, another cannot bring.
      await app.killAll();
    }
    return true;
  }

  // Slowly: a write waits for seconds by the app's own clock, which else leaps over them.
  const sendHeld = (): Promise<boolean> =>
    time.slowly(async () => {
      const sending = send();
      await holdStore(() => Promise.race([sending, pause(HELD_MS)]));
      return sending;
    });

  await Promise.all(
    webhooks.map(async ({ lateMs }, copy) => {
      await time.until(time.now() + lateMs);
      for (;;) {
        const isTaken = await (killsAtOnce && copy === 0 && told.acknowledgedAt === undefined
          ? sendHeld()
          : send());
        if (isTaken || !sentAgain) return;
        await pause(AGAIN_AFTER_MS);
      }
    }),
  );
}
