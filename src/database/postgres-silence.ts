import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { ANSWER_WITHIN_MS } from './postgres-limit.ts';

/**
 * A server that accepts connections and answers nothing, as one that was stopped or is behind a broken network. Once one
 * request has waited for it in vain, no other one does: a command that reads five times would take five times as long.
 */
export interface Silence {
  isOn(): boolean;
  /** An answer is late. From now on the server is asked in the background, until it says anything. */
  begin(): void;
  close(): void;
}

/** @param over called when the server answers again */
export function createSilence(url: string, over: () => void): Silence {
  let isOn = false;
  const closing = new AbortController();

  /** Whether a fresh connection gets no answer either. A refusal is an answer: whoever asks then gets it at once. */
  async function hearsNothing(): Promise<boolean> {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => undefined);
    const heard = client
      .connect()
      .then(() => client.query('SELECT 1'))
      .then(
        () => false,
        () => false,
      );
    const isLate = await Promise.race([heard, pause(ANSWER_WITHIN_MS, true, { ref: false })]);
    client.connection.stream.destroy();
    return isLate;
  }

  async function untilItAnswers(): Promise<void> {
    while (!closing.signal.aborted && (await hearsNothing()));
    isOn = false;
    if (!closing.signal.aborted) over();
  }

  return {
    isOn: () => isOn,
    begin() {
      if (isOn) return;
      isOn = true;
      void untilItAnswers();
    },
    close: () => closing.abort(),
  };
}
