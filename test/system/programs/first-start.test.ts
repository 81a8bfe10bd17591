import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SECRETS, openRealWorld } from '../outbox/real-app.ts';
import { START } from '../../support/app-process.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const ENTER = '\r';
const DOWN = '\u001B[B';
const CTRL_C = '\u0003';
/** util-linux has it, which gives a program a terminal. */
const SCRIPT = '/usr/bin/script';

/** The app's first start in an empty folder, on a terminal. */
async function startOnTerminal(environment: Readonly<Record<string, string>>) {
  const cwd = await temporaryFolder();
  // With its name, which a kill of the terminal doesn't reach.
  const command = `stty columns 120 rows 60; exec ${process.execPath} ${START}`;
  const child = spawn(SCRIPT, ['--quiet', '--flush', '--return', '--command', command, '/dev/null'], {
    cwd,
    env: { PATH: process.env.PATH ?? '', TERM: 'xterm', COLUMNS: '100', ...environment },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await closed;
  });
  let output = '';
  let read = 0;
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  return {
    cwd,
    /** Types once this has been asked since the last answer. */
    answer: async (question: string, typed: string): Promise<void> => {
      await expect.poll(() => stripVTControlCharacters(output.slice(read))).toContain(question);
      read = output.length;
      child.stdin.write(typed);
    },
    said: () => stripVTControlCharacters(output),
    ended: async (): Promise<number | null> => {
      await closed;
      return child.exitCode;
    },
  };
}

describe.skipIf(!existsSync(SCRIPT))('a first start on a terminal', () => {
  it('asks, tries each answer, and starts the app with what it wrote', async () => {
    const { slack, settings } = await openRealWorld();
    const { SLACK_API_URL, COBROWSE_BASE_URL, PORT } = settings;
    const { answer, said, cwd } = await startOnTerminal({ SLACK_API_URL, PORT });
    await answer('How does Slack reach the app?', ENTER);
    await answer('Which address?', `http://cobrowse.example.org${ENTER}`);
    await answer('It must be an https address', `${'\u007F'.repeat(40)}cobrowse.example.org${ENTER}`);
    await answer('Bot User OAuth Token', `xoxb-wrong${ENTER}`);
    await answer('Answer again', ENTER);
    expect(said()).toContain('Slack refused it (invalid_auth).');
    await answer('Bot User OAuth Token', SECRETS.botToken + ENTER);
    await answer('Signing Secret', `short${ENTER}`);
    await answer(
      'doesn’t look like a signing secret',
      `${'\u007F'.repeat(10)}${SECRETS.signingSecret}${ENTER}`,
    );
    expect(said()).toContain('Slack scopes: all 12 present');
    await answer('Which co-browsing service?', ENTER);
    await answer('Address of your account', COBROWSE_BASE_URL + ENTER);
    await answer('Its API key', `wrong${ENTER}`);
    // The address was right, and isn't asked again.
    await answer('Answer again', ENTER);
    await answer('Its API key', SECRETS.apiKey + ENTER);
    await expect.poll(said).toMatch(/^\d\d:\d\d:\d\d INFO {2}listening host=127\.0\.0\.1 /m);

    expect(said()).toContain(`Lead https://cobrowse.example.org to 127.0.0.1:${PORT}`);
    expect(said()).toContain('let Slack verify the address of events');
    const link = /https:\/\/api\.slack\.com\/apps\?new_app=1&manifest_json=(\S+)/u.exec(said())?.[1] ?? '';
    expect(JSON.parse(decodeURIComponent(link))).toMatchObject({
      settings: { interactivity: { request_url: 'https://cobrowse.example.org/slack/events' } },
    });
    const env = join(cwd, '.env');
    expect((await stat(env)).mode & 0o777).toBe(0o600);
    expect(await readFile(env, 'utf8')).toMatch(
      new RegExp(
        `^SECRET_KEYS='[0-9a-f]{64}'\nPUBLIC_URL='https://cobrowse.example.org'\nSLACK_BOT_TOKEN='${SECRETS.botToken}'\n`,
        'u',
      ),
    );
    expect((await fetch(`http://127.0.0.1:${PORT}/healthz`)).status).toBe(200);
    expect(slack.calls.some(({ method }) => method === 'auth.test')).toBe(true);
    for (const secret of [SECRETS.botToken, SECRETS.signingSecret, SECRETS.apiKey])
      expect(said()).not.toContain(secret);
  });

  it('keeps what doesn’t work yet, by Socket Mode and with an installation, where that’s wanted', async () => {
    const { answer, said, cwd } = await startOnTerminal({ SLACK_API_URL: 'http://127.0.0.1:1/' });
    await answer('How does Slack reach the app?', DOWN + ENTER);
    await answer('Bot User OAuth Token', `xoxb-1${ENTER}`);
    await answer('Answer again', DOWN + ENTER);
    await answer('App-level token', `xapp-1${ENTER}`);
    await answer('Answer again', DOWN + ENTER);
    await answer('Which co-browsing service?', DOWN + ENTER);
    await answer('Address of your installation', `http://127.0.0.1:1${ENTER}`);
    await answer('Its REST API key', `it's "quoted"${ENTER}`);
    await answer('It must be one word', `${'\u007F'.repeat(20)}it's${ENTER}`);
    await answer('Answer again', DOWN + DOWN + ENTER);
    await expect.poll(said).toContain('Written to .env');
    expect(JSON.parse(await readFile(join(cwd, 'cobrowse-manifest.json'), 'utf8'))).toMatchObject({
      settings: { socket_mode_enabled: true },
    });
    expect(await readFile(join(cwd, '.env'), 'utf8')).toMatch(
      /\nSLACK_BOT_TOKEN='xoxb-1'\nSLACK_APP_TOKEN='xapp-1'\nCOBROWSE_ONPREM_CONNECTED='true'\nCOBROWSE_ONPREM_BASE_ENDPOINT='http:\/\/127\.0\.0\.1:1'\nCOBROWSE_ONPREM_REST_KEY="it's"\n$/u,
    );
  });

  it('writes nothing where somebody stops', async () => {
    const { answer, said, ended, cwd } = await startOnTerminal({});
    await answer('How does Slack reach the app?', ENTER);
    await answer('Which address?', CTRL_C);
    expect(await ended()).toBe(1);
    expect(said()).toContain('No settings were written.');
    expect(await readdir(cwd)).toEqual([]);
  });
});
