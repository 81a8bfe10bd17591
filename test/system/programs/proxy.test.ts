import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocketServer } from 'ws';
import { START, aloneSettings, startProcess } from '../../support/app-process.ts';
import { startConnectProxy } from '../../support/connect-proxy.ts';
import { APP_TOKEN } from '../../support/settings.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { runNode } from './run-program.ts';

const SLACK = 'slack.example.test';
const SOCKET = 'wss.slack.example.test';
const HOOKS = 'hooks.slack.example.test';
const SERVICE = 'service.example.test';

const PERSON = {
  id: 'U0ALEX00001',
  team_id: 'T0ACME00000',
  name: 'alex',
  tz: 'Etc/UTC',
  profile: { email: 'alex@acme.example', display_name: 'Alex', real_name: 'Alex Rivera' },
};
const ANSWERS: Readonly<Record<string, object>> = {
  '/api/auth.test': { team_id: 'T0ACME00000', bot_id: 'B0HELPDESK', user_id: 'U0HELPDESK' },
  '/api/apps.connections.open': { url: `wss://${SOCKET}/link` },
  '/api/users.info': { user: PERSON },
  '/api/conversations.members': { members: [PERSON.id] },
};
const USAGE = {
  agents: { today: 2, last_30_days: 7 },
  session_counts: { now: 1, today: 23, last_30_days: 4711 },
  session_seconds: { today: 60, last_30_days: 3600 },
  visitors: { last_24_hrs: 5, online_now: 3 },
};

/** Slack and the service at once, with a certificate of the company's own for their names. */
async function startOutside() {
  const folder = await temporaryFolder();
  const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
  const names = [SLACK, SOCKET, HOOKS, SERVICE].map((name) => `DNS:${name}`).join();
  const made = '-x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 -subj /CN=outside';
  const files = ['-addext', `subjectAltName=${names}`, '-keyout', key, '-out', certificate];
  await promisify(execFile)('openssl', ['req', ...made.split(' '), ...files]);
  const answered: string[] = [];
  const answer = async (request: IncomingMessage): Promise<object> => {
    const said = await text(request);
    if (request.headers.host === SERVICE) return { status: 'ok', usage: USAGE };
    if (request.headers.host === HOOKS) answered.push(said);
    return { ok: true, ...ANSWERS[request.url ?? ''] };
  };
  const server = createServer(
    { key: await readFile(key), cert: await readFile(certificate) },
    (request, response) => void answer(request).then((said) => response.end(JSON.stringify(said))),
  );
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket) => {
    socket.send(JSON.stringify({ type: 'hello' }));
    const payload = {
      command: '/cobrowse',
      text: 'usage',
      team_id: PERSON.team_id,
      user_id: PERSON.id,
      channel_id: 'C0SUPPORT01',
      response_url: `https://${HOOKS}/answer`,
      trigger_id: '1.2',
    };
    socket.send(JSON.stringify({ envelope_id: 'asked', type: 'slash_commands', payload }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets.clients) socket.terminate();
    server.close();
    server.closeAllConnections();
  });
  const at = server.address();
  return { port: typeof at === 'object' && at !== null ? at.port : 0, certificate, answered };
}

const behindProxy = {
  ...aloneSettings,
  SLACK_APP_TOKEN: APP_TOKEN,
  SLACK_API_URL: `https://${SLACK}/api`,
  COBROWSE_BASE_URL: `https://${SERVICE}`,
};

/** What the doctor prints with these settings, and a `.env`. */
async function doctor(settings: Readonly<Record<string, string>>, file = ''): Promise<string> {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, '.env'), file);
  const { stdout, stderr } = await runNode([START, 'doctor'], { cwd, env: { ...behindProxy, ...settings } });
  return stdout + stderr;
}

describe('an app that only a company’s proxy leads out', () => {
  it('reaches Slack, its socket and the service through it, with the company’s own certificates', async () => {
    const outside = await startOutside();
    const proxy = await startConnectProxy(outside.port);
    const app = startProcess({
      ...behindProxy,
      HTTPS_PROXY: proxy.url.replace('//', '//app:pass%20word@'),
      NODE_EXTRA_CA_CERTS: outside.certificate,
    });
    await expect
      .poll(() => outside.answered.join('\n'), { message: 'the answer to /cobrowse usage' })
      .toContain('4,711');
    expect(new Set(proxy.asked)).toEqual(
      new Set([SLACK, SOCKET, SERVICE, HOOKS].map((name) => `CONNECT ${name}:443`)),
    );
    expect([...proxy.authorizations]).toEqual([`Basic ${Buffer.from('app:pass word').toString('base64')}`]);
    expect(JSON.stringify(app.printed)).not.toMatch(/pass(?:%20| )word/);
  });

  it('is examined through it, too, and said to be alone where the proxy refuses', async () => {
    const outside = await startOutside();
    const proxy = await startConnectProxy(outside.port);
    const certificates = `NODE_EXTRA_CA_CERTS=${outside.certificate}`;
    const through = await doctor({ HTTPS_PROXY: proxy.url, NODE_EXTRA_CA_CERTS: outside.certificate });
    expect(through).toMatch(/^ok {6} Slack token: valid$/m);
    expect(proxy.asked).toContain(`CONNECT ${SERVICE}:443`);
    const nowhere = await doctor({ HTTPS_PROXY: 'http://127.0.0.1:1' }, certificates);
    expect(nowhere).toMatch(/Slack token: The app can’t reach Slack\.\n.*HTTPS_PROXY/);
    expect(nowhere).toContain('NODE_EXTRA_CA_CERTS has no effect: Node reads it before .env');
    expect(await doctor({ HTTPS_PROXY: '10.0.0.1:3128' })).toBe(
      'failure  Settings: HTTPS_PROXY must be an address with its scheme, such as http://proxy.example.com:3128.\n',
    );
  });
});
