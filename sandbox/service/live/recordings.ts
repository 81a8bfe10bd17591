import type { PageEvent } from './clean-event.js';

/** Recordings of sessions, in memory: only what the agents were shown. */
export interface Recordings {
  readonly add: (sessionIds: readonly string[], events: readonly PageEvent[], startsAnew: boolean) => void;
  /** The address where the recording of an ended session can be played; null if there is none. */
  readonly finish: (sessionId: string) => string | null;
  /** The events as JSON. */
  readonly find: (recordingId: string) => string | undefined;
  readonly remove: (sessionId: string) => void;
}

const mostBytes = 8 * 1024 * 1024;
const mostRecordings = 20;

interface Recording {
  readonly id: string;
  readonly events: string[];
  bytes: number;
  isFull: boolean;
}

/** @param addressOf where the recording with this id is played */
export function createRecordings(options: {
  readonly isOn: boolean;
  readonly randomId: () => string;
  readonly addressOf: (recordingId: string) => string;
}): Recordings {
  const bySession = new Map<string, Recording>();

  function recordingOf(sessionId: string, startsAnew: boolean): Recording | undefined {
    const known = bySession.get(sessionId);
    // Nothing can be played before the first snapshot.
    if (known || !startsAnew) return known;
    const oldest = bySession.size < mostRecordings ? undefined : bySession.keys().next().value;
    if (oldest !== undefined) bySession.delete(oldest);
    const recording = { id: options.randomId(), events: [], bytes: 0, isFull: false };
    bySession.set(sessionId, recording);
    return recording;
  }

  return {
    add(sessionIds, events, startsAnew) {
      if (!options.isOn) return;
      const texts = events.map((event) => JSON.stringify(event));
      for (const sessionId of sessionIds) {
        const recording = recordingOf(sessionId, startsAnew);
        if (recording === undefined || recording.isFull) continue;
        recording.bytes += texts.reduce((sum, text) => sum + text.length, 0);
        recording.isFull = recording.bytes > mostBytes;
        if (!recording.isFull) recording.events.push(...texts);
      }
    },
    finish(sessionId) {
      const recording = bySession.get(sessionId);
      return recording && recording.events.length > 1 ? options.addressOf(recording.id) : null;
    },
    find(recordingId) {
      const found = [...bySession.values()].find(({ id }) => id === recordingId);
      return found && `[${found.events.join(',')}]`;
    },
    remove: (sessionId) => void bySession.delete(sessionId),
  };
}
