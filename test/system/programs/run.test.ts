import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { connect, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { startApp } from '../../../src/app.ts';
import { readConfig } from '../../../src/config/config.ts';
import { answerJson, startLocalService } from '../../cobrowse/local-service.ts';
import {
  BOT_TOKEN,
  NOWHERE,
  START,
  aloneSettings as settings,
  builtStart,
  startProcess,
} from '../../support/app-process.ts';
import { keptLog } from '../../support/checked-sandbox.ts';

const CRASHES = fileURLToPath(new URL('processes/crashes.ts', import.meta.url));
const STOP_FAILS = fileURLToPath(new URL('processes/stop-fails.ts', import.meta.url));
const BUILT = await builtStart();
const APP_TOKEN = ['xapp', 'of', 'these', 'tests'].join('-');

const SAY_WHAT_WAS_LOADED = `process.on('exit', () => process.stderr.write(process.moduleLoadList.join()))`;

type Settings = Readonly<Record<string, string>>;

const Line = z.looseObject({ level: z.int(), msg: z.string(), port: z.int().optional() });
type Line = z.infer<typeof Line>;

function readLines(text: string): readonly Line[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => Line.parse(JSON.parse(line)));
}

/** The app in a separate process, whose log is read. */
function start(environment: Settings, program = BUILT) {
  const app = startProcess(environment, { program });
  async function line(words: string): Promise<Line> {
    const found = () => readLines(app.printed.stdout).find(({ msg }) => msg.includes(words));
    await expect.poll(() => found() ?? app.hasEnded()).toBeTruthy();
    const seen = found();
    if (seen === undefined)
      throw new Error(`The process ended without "${words}": ${JSON.stringify(app.printed)}`);
    return seen;
  }
  return { ...app, line, port: async () => (await line('listening')).port ?? 0 };
}

async function slackThat(answers: RequestListener): Promise<string> {
  const slack = await startLocalService(answers);
  onTestFinished(() => slack.close());
  return `${slack.url}/api/`;
}

const refusing =
  (error: string): RequestListener =>
  (_, response) =>
    answerJson(response, { ok: false, error });
const accepting: RequestListener = (_, response) => answerJson(response, { ok: true });

describe('npm start that can’t work', () => {
  it('ends immediately and lists everything that is wrong with the settings, without any secret', async () => {
    const { code, stdout, stderr } = await start({
      ...settings,
      SLACK_BOT_TOKEN: 'topsecret-1',
      SLACK_SIGNING_SECRET: '',
      COBROWSE_BASE_URL: 'http://topsecret-2.example/',
      SECRET_KEYS: 'topsecret-3',
      PORT: 'topsecret-4',
    }).end();
    expect(code).toBe(1);
    expect(stdout).toBe('');
    const named = stderr.match(/(?<=^ {2}- )[A-Z_]+/gm)?.toSorted();
    const wrong = ['COBROWSE_BASE_URL', 'PORT', 'SECRET_KEYS', 'SLACK_BOT_TOKEN', 'SLACK_SIGNING_SECRET'];
    expect(named).toEqual(wrong);
    expect(stderr).not.toContain('topsecret');
    expect(stderr).not.toContain('    at ');
  });

  it('reveals no secret that was set as another setting', async () => {
    const { code, stdout, stderr } = await start({ ...settings, HOST: settings.COBROWSE_API_KEY }).end();
    expect(code).toBe(1);
    expect(stderr).toContain("Can't listen on HOST and PORT: getaddrinfo ");
    expect(stdout + stderr).not.toContain(settings.COBROWSE_API_KEY);
  });

  it.each([
    ['SLACK_BOT_TOKEN', {}],
    ['SLACK_APP_TOKEN', { SLACK_APP_TOKEN: APP_TOKEN }],
  ])('ends with an explanation for a %s that Slack refuses', async (name, more) => {
    const SLACK_API_URL = await slackThat(refusing('invalid_auth'));
    const { code, stdout, stderr } = await start({ ...settings, ...more, SLACK_API_URL }).end();
    expect(code).toBe(1);
    expect(stderr).toContain(`Slack refused ${name} (invalid_auth).`);
    expect(stderr).toContain('page again.\n');
    expect(stderr).not.toContain('    at ');
    expect(stdout + stderr).not.toContain(BOT_TOKEN);
    expect(stdout + stderr).not.toContain(APP_TOKEN);
  });

  it('names the file and the cause if the database can’t be opened', async () => {
    const { code, stderr } = await start({ ...settings, STORE_URL: 'sqlite:/dev/null/store.db' }).end();
    expect(code).toBe(1);
    expect(stderr).toContain('The database can’t be opened or written. Check STORE_URL');
    expect(stderr).toContain('\n  File: /dev/null/store.db\n  Cause: E');
    expect(stderr).not.toContain('    at ');
  });

  it('ends with an explanation if the port is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void other.close());
    await once(other, 'listening');
    const address = other.address();
    const PORT = String(typeof address === 'object' ? address?.port : 0);
    const { code, stderr } = await start({ ...settings, PORT }).end();
    expect(code).toBe(1);
    expect(stderr).toContain(
      `Can't listen on HOST and PORT: listen EADDRINUSE: address already in use 127.0.0.1:${PORT}\n`,
    );
    expect(stderr).not.toContain('    at ');
  });
});

describe('npm start', () => {
  it('listens at its address, says so, and has not loaded Node’s own undici', async () => {
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(SAY_WHAT_WAS_LOADED)}`;
    const app = start({ ...settings, NODE_OPTIONS, SLACK_API_URL: await slackThat(accepting) }, START);
    const listening = await app.line('listening');
    expect(listening).toMatchObject({
      level: 30,
      host: '127.0.0.1',
      mode: 'http',
      publicUrl: 'https://cobrowse.example.com',
    });
    const answer = await fetch(`http://127.0.0.1:${listening.port}/readyz`);
    expect(answer.status).toBe(200);
    app.signal('SIGTERM');
    const { stderr } = await app.end();
    expect(stderr).toContain('NativeModule _http_server,');
    // Everything asks by the undici of the dependencies; an import of node:http would load Node's own as well.
    expect(stderr).not.toContain('internal/deps/undici/undici');
  });

  it.each([
    ['cannot be reached', undefined],
    ['fails itself', refusing('internal_error')],
  ] satisfies [string, RequestListener | undefined][])(
    'warns if Slack %s, and starts',
    async (_, answers) => {
      const SLACK_API_URL = answers === undefined ? NOWHERE : await slackThat(answers);
      const { log, lines } = keptLog();
      const app = await startApp(readConfig({ ...settings, SLACK_API_URL }), { log });
      onTestFinished(() => app.stop());
      const warnings = readLines(lines.join('')).filter(({ level }) => level === 40);
      expect(warnings.map(({ msg }) => msg)).toContain('Slack could not be asked about the token');
      expect((await fetch(`http://127.0.0.1:${app.port}/healthz`)).status).toBe(200);
    },
  );

  it('stops while it waits for a connection to Slack, which can’t be reached', async () => {
    const { PUBLIC_URL: _, SLACK_SIGNING_SECRET: __, ...socket } = settings;
    const app = start({ ...socket, SLACK_APP_TOKEN: APP_TOKEN });
    await app.line('http request failed');
    app.signal('SIGTERM');
    const { code, stdout, stderr } = await app.end();
    expect(code).toBe(0);
    expect(stderr).toBe('');
    expect(readLines(stdout).some(({ msg }) => msg === 'stopping')).toBe(true);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'stops at %s, even if clients are still connected',
    async (signal) => {
      const app = start({ ...settings, SLACK_API_URL: await slackThat(accepting) });
      const port = await app.port();
      // A kept connection of fetch, and a silent one.
      await fetch(`http://127.0.0.1:${port}/healthz`);
      const silent = connect(port, '127.0.0.1').on('error', () => undefined);
      onTestFinished(() => void silent.destroy());
      await once(silent, 'connect');
      app.signal(signal);
      const { code, stdout, stderr } = await app.end();
      expect(code).toBe(0);
      expect(stderr).not.toContain('Error');
      expect(readLines(stdout).at(-1)).toMatchObject({ msg: 'stopping', signal });
    },
  );

  it.each(['throw', 'rejection'])('stops in order after an error that nobody caught: %s', async (CRASH) => {
    const STORE_URL = 'postgres://app:top%2Fsecret@db.example/cobrowse';
    const { code, stdout, stderr } = await start({ ...settings, STORE_URL, CRASH }, CRASHES).end();
    expect(code).toBe(1);
    expect(stderr).toBe('');
    const lines = readLines(stdout).filter(({ msg }) => msg !== 'listening');
    expect(lines.map(({ msg }) => msg)).toEqual([
      'an error that nobody caught: the app stops',
      'told of the crash',
      'stopped in order',
    ]);
    expect(lines[0]).toMatchObject({
      level: 60,
      err: { message: 'broken by [secret]', stack: expect.stringContaining('crashes.ts:') },
    });
    expect(stdout).not.toMatch(/top(?:%2F|\/)secret/);
  });

  it('ends even if stopping fails, with the cause and no password', async () => {
    const STORE_URL = 'postgres://app:top%2Fsecret@db.example/cobrowse';
    const app = start({ ...settings, STORE_URL }, STOP_FAILS);
    await app.line('listening');
    app.signal('SIGTERM');
    const { code, stdout, stderr } = await app.end();
    expect(code).toBe(1);
    expect(stderr).toBe('');
    expect(readLines(stdout).at(-1)).toMatchObject({
      level: 60,
      msg: 'the app didn’t stop cleanly',
      err: { message: 'refused [secret]' },
    });
    expect(stdout).not.toMatch(/top(?:%2F|\/)secret/);
  });
});
