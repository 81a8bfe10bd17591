import { fstatSync, writeSync } from 'node:fs';
import type { Writable } from 'node:stream';
import type { DestinationStream } from 'pino';
import { readableLine } from './readable-line.ts';

/** For a reader who does not keep up. */
interface Patience {
  /** What is kept for them. */
  readonly mostWaitingBytes: number;
  /** How long the end of the process waits for them. */
  readonly lastLinesMs: number;
}

const PATIENCE: Patience = { mostWaitingBytes: 1_048_576, lastLinesMs: 1_000 };

/** Where lines of the log end up. */
interface Outlet {
  /** False, and nothing written, where there is no room. Neither waits nor throws. */
  write(text: string): boolean;
  /** Resolves once everything is written, or cannot be. */
  end(): Promise<void>;
}

/** A destination that drops what it cannot write: the log must never stop the app from serving or stopping. */
export interface LogDestination extends DestinationStream {
  /** How many lines were dropped so far. */
  readonly dropped: () => number;
  /** Waits a moment for the last lines. */
  readonly end: () => Promise<void>;
}

const EMPTY: Buffer = Buffer.alloc(0);

/** A file or a device. Writing to it fails at once where it is full. */
export function fileOutlet(fd: number): Outlet {
  /** What is left of a line that was written in part: it comes before the next one. */
  let rest = EMPTY;

  function writeRest(): boolean {
    try {
      while (rest.length > 0) {
        const written = writeSync(fd, rest);
        if (written === 0) return false;
        rest = rest.subarray(written);
      }
      return true;
    } catch {
      // There is nowhere to say it but in the count.
      return false;
    }
  }

  return {
    write(text) {
      if (!writeRest()) return false;
      const line = Buffer.from(text);
      rest = line;
      if (writeRest() || rest.length < line.length) return true;
      rest = EMPTY;
      return false;
    },
    end: async () => void writeRest(),
  };
}

/** For a stream whose reader is gone: without a listener that would end the process. */
const ignore = () => undefined;

/** A pipe, a socket or a terminal: what its reader does not take at once waits in memory, up to a limit. */
export function streamOutlet(stream: Writable, patience = PATIENCE): Outlet {
  let isFull = false;
  // Once, however many logs write to it.
  if (!stream.listeners('error').includes(ignore)) stream.on('error', ignore);
  return {
    write(text) {
      // Once full, until it is empty: a slow reader gets one note about many lines, not one between every two.
      const waiting = stream.writableLength;
      isFull = isFull ? waiting > 0 : waiting + text.length > patience.mostWaitingBytes;
      if (isFull || !stream.writable) return false;
      stream.write(text);
      return true;
    },
    end: () =>
      new Promise((resolve) => {
        if (!stream.writable || stream.writableLength === 0) return resolve();
        const late = setTimeout(resolve, patience.lastLinesMs);
        stream.write('', () => {
          clearTimeout(late);
          resolve();
        });
      }),
  };
}

/** Counts what the outlet does not take, and says so in one line once it does again. */
export function createLogDestination(outlet: Outlet): LogDestination {
  let dropped = 0;
  let unmentioned = 0;

  const note = () =>
    `${JSON.stringify({
      level: 40,
      time: new Date().toISOString(),
      dropped: unmentioned,
      msg: `${unmentioned} lines of the log were dropped: they could not be written`,
    })}\n`;

  return {
    write(line) {
      // Together, since a note alone may fit where a line does not, again and again.
      if (outlet.write(unmentioned === 0 ? line : note() + line)) {
        unmentioned = 0;
        return;
      }
      unmentioned += 1;
      dropped += 1;
    },
    dropped: () => dropped,
    end: () => outlet.end(),
  };
}

const readable = (lines: string) =>
  lines
    .split(/(?<=\n)/)
    .map(readableLine)
    .join('');

/** Standard output: readable lines on a terminal, JSON anywhere else. */
export function standardOutput(): LogDestination {
  if (process.stdout.isTTY) {
    const terminal = streamOutlet(process.stdout);
    return createLogDestination({ ...terminal, write: (lines) => terminal.write(readable(lines)) });
  }
  const kind = fstatSync(1);
  // Node would write to a file through a stream that ends for good at the first failure.
  return createLogDestination(
    kind.isFIFO() || kind.isSocket() ? streamOutlet(process.stdout) : fileOutlet(1),
  );
}
