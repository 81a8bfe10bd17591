import { setTimeout as pause } from 'node:timers/promises';
import type { Session } from '../../src/sandbox/service/session.ts';
import type { Fate } from './fate.ts';
import type { Stage } from './stage.ts';

/** What became of the webhooks of one ended session. */
export interface Told {
  readonly fate: Fate;
  readonly sessionId: string;
  /** Whether the app answered one with 200: from then on the summary is its promise. */
  acknowledged: boolean;
}

const AGAIN_AFTER_MS = 400;
const ANSWER_WITHIN_MS = 5_000;

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
  { time }: Pick<Stage, 'time'>,
  told: Told,
  { url, session }: { readonly url: string; readonly session: Session },
): Promise<void> {
  const { webhooks, sentAgain } = told.fate;
  await Promise.all(
    webhooks.map(async ({ lateMs }) => {
      await time.until(time.now() + lateMs);
      for (;;) {
        const isTaken = await post(url, session);
        if (isTaken) told.acknowledged = true;
        if (isTaken || !sentAgain) return;
        await pause(AGAIN_AFTER_MS);
      }
    }),
  );
}
