import { afterTime } from '../time-limit.ts';

/** Why a session ends by itself: no agent activity, the visitor left, the agent closed the page or lost the connection. */
export type Deadline = 'idle' | 'visitor-gone' | 'page-closed' | 'page-lost';

export interface Deadlines {
  /** Starts the timer, or restarts it. */
  readonly start: (sessionId: string, deadline: Deadline) => void;
  readonly cancel: (sessionId: string, deadline: Deadline) => void;
  readonly forget: (sessionId: string) => void;
  readonly close: () => void;
}

/** Timers that end sessions; they never keep the process alive. */
export function createDeadlines(
  afterMs: Readonly<Record<Deadline, number>>,
  passed: (sessionId: string, deadline: Deadline) => void,
): Deadlines {
  const timers = new Map<string, Map<Deadline, () => void>>();

  function cancel(sessionId: string, deadline: Deadline) {
    timers.get(sessionId)?.get(deadline)?.();
    timers.get(sessionId)?.delete(deadline);
  }
  function forget(sessionId: string) {
    for (const cancelTimer of timers.get(sessionId)?.values() ?? []) cancelTimer();
    timers.delete(sessionId);
  }

  return {
    start(sessionId, deadline) {
      cancel(sessionId, deadline);
      const own = timers.get(sessionId) ?? new Map<Deadline, () => void>();
      own.set(
        deadline,
        afterTime(afterMs[deadline], () => passed(sessionId, deadline)),
      );
      timers.set(sessionId, own);
    },
    cancel,
    forget,
    close() {
      for (const sessionId of timers.keys()) forget(sessionId);
    },
  };
}
