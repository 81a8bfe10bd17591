import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import {
  createLogDestination,
  fileOutlet,
  streamOutlet,
  readableLine,
} from '../../../src/logging/log-destination.ts';
import { answerJson, startLocalService } from '../../cobrowse/local-service.ts';
import { aloneSettings, builtStart, startProcess } from '../../support/app-process.ts';
import { freePort } from '../../support/free-port.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const line = (number: number) => `${JSON.stringify({ level: 30, number, padding: 'x'.repeat(1_000) })}\n`;

/** Open for reading too: without a reader, writes would fail immediately. */
async function aPipe() {
  const path = join(await temporaryFolder(), 'pipe');
  execFileSync('mkfifo', [path]);
  const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  onTestFinished(() => closeSync(fd));
  return { path, fd };
}

/** A file with room for 64 KiB, and more once it was read: a pipe that does not wait. */
async function smallFile() {
  const { fd } = await aPipe();
  const everything = Buffer.alloc(1_048_576);
  return {
    fd,
    /** Reads what is there, which makes room. */
    read(most = everything.length) {
      const count = readSync(fd, everything, 0, most, null);
      return everything.toString('utf8', 0, count);
    },
  };
}

function readAll(pipe: PassThrough): string {
  let text = '';
  for (let part: unknown = pipe.read(); Buffer.isBuffer(part); part = pipe.read()) text += part.toString();
  return text;
}

const Line = z.object({ number: z.number().optional(), dropped: z.number().optional() });

/** The numbers of lines, and in an object, how many were dropped. */
const numbersAndDrops = (text: string) =>
  text
    .split('\n')
    .filter((part) => part !== '')
    .map((part) => Line.parse(JSON.parse(part)))
    .map(({ number, dropped }) => (dropped === undefined ? number : { dropped }));

describe('the log in a file that fills up', () => {
  it('drops whole lines, and says how many in one line once there is room', async () => {
    const file = await smallFile();
    const log = createLogDestination(fileOutlet(file.fd));
    let number = 0;
    while (log.dropped() < 5) log.write(line(number++));
    const taken = number - 5;
    let text = file.read();
    log.write(line(number));
    text += file.read();
    const expected = [...Array.from({ length: taken }, (_, index) => index), { dropped: 5 }, number];
    expect(numbersAndDrops(text)).toEqual(expected);
    expect(text).toContain('"msg":"5 lines of the log were dropped: they could not be written"');
    expect(log.dropped()).toBe(5);
  });

  it('leaves what was cut on a line of its own', async () => {
    const file = await smallFile();
    const outlet = fileOutlet(file.fd);
    // More than the file has room for, so that a part of it is written.
    expect(outlet.write('y'.repeat(100_000))).toBe(false);
    expect(outlet.write(line(1))).toBe(false);
    let text = file.read();
    expect(outlet.write(line(2))).toBe(true);
    text += file.read();
    expect(text).toMatch(/^y+\n\{/);
    expect(numbersAndDrops(text.replace(/^y+/, ''))).toEqual([2]);
  });
});

describe('the log in a pipe whose reader doesn’t keep up', () => {
  it('keeps a little, drops the rest, and says how many once everything was read', () => {
    const pipe = new PassThrough({ highWaterMark: 1 });
    const log = createLogDestination(streamOutlet(pipe, { mostWaitingBytes: 5_000, lastLinesMs: 1 }));
    for (let number = 0; number < 10; number += 1) log.write(line(number));
    const before = log.dropped();
    expect(before).toBeGreaterThan(0);
    let text = readAll(pipe);
    log.write(line(10));
    text += readAll(pipe);
    const kept = Array.from({ length: 10 - before }, (_, index) => index);
    expect(numbersAndDrops(text)).toEqual([...kept, { dropped: before }, 10]);
  });

  it('counts what comes after the reader has gone, without any failure', () => {
    const pipe = new PassThrough();
    const log = createLogDestination(streamOutlet(pipe));
    pipe.destroy(new Error('EPIPE'));
    log.write(line(1));
    expect(log.dropped()).toBe(1);
  });
});

describe('a line of the log on a terminal', () => {
  it('has the stack of an error below', () => {
    const err = { type: 'Error', message: 'boom', stack: 'Error: boom\n    at here' };
    const json = JSON.stringify({ level: 50, time: '2026-11-22T10:20:30.000Z', msg: 'failed', err });
    expect(readableLine(json)).toMatch(/ ERROR failed\n {4}Error: boom\n {8}at here\n$/);
  });

  it('can’t control the terminal', () => {
    const time = '2026-11-22T10:20:30.000Z';
    const evil = '\u001B[2Jgone';
    const json = JSON.stringify({ level: 30, time, msg: evil, name: evil, err: { message: evil } });
    expect(readableLine(json)).not.toContain('\u001B');
  });

  it('is left alone if it isn’t one', () => {
    expect(readableLine('not JSON\n')).toBe('not JSON\n');
  });
});

/** The app in a separate process that writes its log to this file. */
async function startLoggingTo(stdout: number) {
  const slack = await startLocalService((_, response) => answerJson(response, { ok: true }));
  onTestFinished(() => slack.close());
  const port = await freePort();
  const settings = {
    ...aloneSettings,
    SLACK_API_URL: `${slack.url}/api/`,
    PORT: String(port),
    LOG_LEVEL: 'trace',
  };
  const app = startProcess(settings, { program: await builtStart(), stdout });
  const get = async (path: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(30_000) });
    return { status: answer.status, text: await answer.text() };
  };
  await expect.poll(() => get('/healthz').catch(() => undefined)).toBeDefined();
  return {
    get,
    async stop() {
      app.signal('SIGTERM');
      return (await app.end()).code;
    },
  };
}

/** A pipe that is open for reading and full, but that nobody reads. */
async function fullPipe(): Promise<number> {
  const { path, fd } = await aPipe();
  try {
    for (;;) writeSync(fd, 'x'.repeat(4_096));
  } catch {
    // It's full.
  }
  const theirs = openSync(path, constants.O_RDWR);
  onTestFinished(() => closeSync(theirs));
  return theirs;
}

function fullDisk(): number {
  const file = openSync('/dev/full', 'w');
  onTestFinished(() => closeSync(file));
  return file;
}

describe('the app whose log can’t be written', () => {
  it('serves on a full disk, counts the lines it dropped, and stops at SIGTERM', async () => {
    const app = await startLoggingTo(fullDisk());
    expect((await app.get('/watch/nonsense')).status).toBe(404);
    const dropped = /^cobrowse_log_lines_dropped_total (\d+)$/m.exec((await app.get('/metrics')).text)?.[1];
    expect(Number(dropped)).toBeGreaterThan(0);
    expect(await app.stop()).toBe(0);
  });

  it('serves with a pipe that nobody reads, and stops at SIGTERM', async () => {
    const app = await startLoggingTo(await fullPipe());
    expect((await app.get('/watch/nonsense')).status).toBe(404);
    expect(await app.stop()).toBe(0);
  });
});
