import { fstatSync, writeSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { levels } from 'pino';
import { z } from 'zod';

/** With a reader that doesn't keep up. */
const PATIENCE = {
  mostWaitingBytes: 1_048_576,
  /** How long the process's end waits for it. */
  lastLinesMs: 1_000,
};

interface Outlet {
  /** False, and nothing written, if there's no room. Neither waits nor throws. */
  write(text: string): boolean;
  /** Resolves once everything is written, or can't be. */
  end(): Promise<void>;
}

/** A file or a device. Writing fails immediately when it's full. */
export function fileOutlet(fd: number): Outlet {
  /** In the middle of a line that had no room. */
  let isCut = false;
  return {
    write(text) {
      const line = Buffer.from(isCut ? `\n${text}` : text);
      try {
        const written = writeSync(fd, line);
        isCut = written === 0 ? isCut : written < line.length;
        return written === line.length;
      } catch {
        return false;
      }
    },
    end: async () => undefined,
  };
}

/** For a stream whose reader is gone, which would otherwise end the process. */
const ignore = () => undefined;

/** A pipe, a socket or a terminal. */
export function streamOutlet(stream: Writable, patience = PATIENCE): Outlet {
  let isFull = false;
  // Once, however many logs write to it.
  if (!stream.listeners('error').includes(ignore)) stream.on('error', ignore);
  return {
    write(text) {
      // Once full, until it's empty: a slow reader gets one note about many lines, not one between every two.
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

/**
 * A destination that drops what it can't write: the log must never stop the app from serving or stopping. It counts what the
 * outlet refuses, and says so once there's room again.
 */
export function createLogDestination(outlet: Outlet) {
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
    write(line: string): void {
      // Together: otherwise the note alone could fit where a line doesn't, again and again.
      if (outlet.write(unmentioned === 0 ? line : note() + line)) {
        unmentioned = 0;
        return;
      }
      unmentioned += 1;
      dropped += 1;
    },
    dropped: () => dropped,
    /** Waits a moment for the last lines. */
    end: () => outlet.end(),
  };
}

const readable = (lines: string) =>
  lines
    .split(/(?<=\n)/)
    .map(readableLine)
    .join('');

/** Standard output: readable lines on a terminal, JSON anywhere else. */
export function standardOutput(): ReturnType<typeof createLogDestination> {
  if (process.stdout.isTTY) {
    const terminal = streamOutlet(process.stdout);
    return createLogDestination({ ...terminal, write: (lines) => terminal.write(readable(lines)) });
  }
  const kind = fstatSync(1);
  // Node's stream to a file would end for good at the first failure.
  return createLogDestination(
    kind.isFIFO() || kind.isSocket() ? streamOutlet(process.stdout) : fileOutlet(1),
  );
}

const Line = z.looseObject({
  level: z.number(),
  time: z.string(),
  msg: z.string().default(''),
  err: z.looseObject({ message: z.string(), stack: z.string().optional() }).optional(),
});

/** A stranger's control characters could overwrite the lines above. */
const harmless = (text: string) => text.replaceAll(/[^\P{Cc}\n\t]/gu, '?');

const valueText = (value: unknown) =>
  typeof value === 'string' && /^[^\s"]+$/.test(value) ? value : JSON.stringify(value);

const indented = (text: string) =>
  text
    .split('\n')
    .map((line) => `    ${line}\n`)
    .join('');

function parse(line: string): z.infer<typeof Line> | undefined {
  try {
    return Line.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

export function readableLine(line: string): string {
  const parsed = parse(line);
  if (parsed === undefined) return line;
  const { level, time, msg, err, ...fields } = parsed;
  const clock = new Date(time).toTimeString().slice(0, 8);
  const name = (levels.labels[level] ?? String(level)).toUpperCase().padEnd(5);
  const details = Object.entries(fields).map(([key, value]) => ` ${key}=${valueText(value)}`);
  const cause = err === undefined ? '' : indented(err.stack ?? err.message);
  return harmless(`${clock} ${name} ${msg}${details.join('')}\n${cause}`);
}
