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
/** How long nothing that is written arrives while a webhook comes: who answers 200 in that time has promised what is not on disk. */
const CUT_OFF_MS = 2_000;

/** @param url of one process, whatever else the front takes for its address */
async function post(url: URL, session: Session): Promise<boolean> {
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
  { time, app, slack, store }: Pick<Stage, 'time' | 'app' | 'slack' | 'store'>,
  told: Told,
  { url, session }: { readonly url: string; readonly session: Session },
): Promise<void> {
  const { webhooks, sentAgain, killsAtOnce } = told.fate;
  const { pathname } = new URL(url);
  let isKilled = !killsAtOnce;

  async function send(): Promise<boolean> {
    const isTaken = await post(new URL(pathname, app.nextUrl()), session);
    if (!isTaken) return false;
    const isFirst = told.acknowledgedAt === undefined;
    told.acknowledgedAt ??= slack.calls.length;
    if (isFirst && !isKilled) {
      isKilled = true;
      // All of them: what one has only in memory, another cannot bring.
      await Promise.all([app.killAll(), store.losePower()]);
    }
    return true;
  }

  // Slowly: a write waits for seconds by the app's own clock, which else leaps over them.
  const sendCutOff = (): Promise<boolean> =>
    time.slowly(async () => {
      const sending = send();
      await store.cutOff(() => Promise.race([sending, pause(CUT_OFF_MS)]));
      return sending;
    });

  await Promise.all(
    webhooks.map(async ({ lateMs }, copy) => {
      await time.until(time.now() + lateMs);
      for (let tried = 0; ; tried += 1) {
        const isTaken = await (killsAtOnce && copy === 0 && tried === 0 ? sendCutOff() : send());
        if (isTaken || !sentAgain) return;
        await pause(AGAIN_AFTER_MS);
      }
    }),
  );
}
