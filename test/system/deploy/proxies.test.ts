import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { manyChannels, summaryOf, tellOf } from '../outbox/many-channels.ts';
import { openRealWorld, watchAsBrowser } from '../outbox/real-app.ts';
import { ALL_WELL, restartUnderTraffic } from '../replicas/restart-under-traffic.ts';
import { idsSeenBy } from '../../sessions/webhook-stage.ts';
import { hasPostgres, postgresql } from '../../support/engines.ts';
import { freePort } from '../../support/free-port.ts';
import { caddyPath, nginxPath } from '../../support/machine.ts';
import { personIn } from '../../support/person.ts';
import { temporaryFolder } from '../../support/temporary.ts';

/** Runs a program until the test ends. */
function startProgram(path: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): void {
  const program = spawn(path, args, { stdio: 'ignore', env });
  onTestFinished(async () => {
    program.kill('SIGKILL');
    await once(program, 'close');
  });
}

/** Believes this certificate, besides the usual ones, until the test ends. */
function trust(certificate: string): void {
  const before = getCACertificates('default');
  setDefaultCACertificates([...before, certificate]);
  onTestFinished(() => setDefaultCACertificates(before));
}

/** Starts Caddy with the file that operators take, put right as its comments say. @returns its certificate */
async function startCaddy(publicUrl: string, ...apps: readonly string[]): Promise<string> {
  const folder = await temporaryFolder();
  const config = join(folder, 'Caddyfile');
  // Leaves the machine, and whatever listens there at the usual ports, as they are.
  const alone = `{\n skip_install_trust\n admin off\n http_port ${await freePort()}\n`;
  const site = (await readFile('deploy/Caddyfile', 'utf8')).replace('{\n', alone);
  await writeFile(config, apps.length > 1 ? site.replaceAll('# health_', 'health_') : site);
  const env = { PUBLIC_URL: publicUrl, APP: apps.join(' '), XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  startProgram(caddyPath ?? 'caddy', ['run', '--config', config, '--adapter', 'caddyfile'], env);
  const certificate = join(folder, 'caddy/pki/authorities/local/root.crt');
  const read = () => readFile(certificate, 'utf8').catch(() => '');
  await expect.poll(read).toContain('-----END CERTIFICATE-----');
  return read();
}

/** Starts nginx with the file that operators take, put right as its comment says. @returns its certificate */
async function startNginx(publicUrl: string, app: string): Promise<string> {
  const folder = await temporaryFolder();
  const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
  const made = '-x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30'.split(' ');
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const files = ['-keyout', key, '-out', certificate];
  await promisify(execFile)('openssl', ['req', ...made, ...subject, ...files]);
  const site = (await readFile('deploy/nginx.conf', 'utf8'))
    .replace('listen 443', `listen 127.0.0.1:${new URL(publicUrl).port}`)
    .replace('server_name cobrowse.example.org', 'server_name localhost')
    .replace('/etc/letsencrypt/live/cobrowse.example.org/fullchain.pem', certificate)
    .replace('/etc/letsencrypt/live/cobrowse.example.org/privkey.pem', key)
    .replaceAll('http://127.0.0.1:3000', `http://${app}`);
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join(' ');
  const config = join(folder, 'nginx.conf');
  const alone = `daemon off; pid ${folder}/pid; error_log ${folder}/errors; events {}`;
  await writeFile(config, `${alone} http { ${places}\n${site}}`);
  startProgram(nginxPath ?? 'nginx', ['-c', config, '-e', join(folder, 'errors')]);
  return readFile(certificate, 'utf8');
}

// If one is skipped, the run says so: see test/support/machine.ts.
describe.for([
  { name: 'Caddy', path: caddyPath, startProxy: startCaddy, floodedBy: [200] },
  { name: 'nginx', path: nginxPath, startProxy: startNginx, floodedBy: [200, 429] },
])('the app behind $name', ({ path, startProxy, floodedBy }) => {
  it.skipIf(path === undefined)(
    'takes a session from the search to its summary, and shows nobody what is for those who run it',
    async () => {
      const publicUrl = `https://localhost:${await freePort()}`;
      const world = await openRealWorld({ settings: async () => ({ PUBLIC_URL: publicUrl }) });
      await world.start();
      world.slack.setRequestUrl(`${publicUrl}/slack/events`);
      trust(await startProxy(publicUrl, new URL(world.publicUrl).host));
      const statusOf = (at: string) =>
        fetch(`${publicUrl}${at}`).then(
          (response) => response.status,
          () => undefined,
        );
      await expect.poll(() => statusOf('/healthz')).toBe(200);
      expect([await statusOf('/metrics'), await statusOf('/readyz')]).toEqual([404, 404]);

      const send = (to: string, bytes: number) =>
        fetch(`${publicUrl}${to}`, { method: 'POST', body: 'x'.repeat(bytes) }).then(({ status }) => status);
      expect([await send('/slack/events', 1_048_576), await send('/slack/events', 1_048_577)]).toEqual([
        401, 413,
      ]);
      const flood = await Promise.all(Array.from({ length: 300 }, () => statusOf('/healthz')));
      expect(new Set(flood)).toEqual(new Set(floodedBy));
      // Whoever floods pages doesn't use up what Slack and the service may send.
      const others = [await send('/slack/events', 1), await send('/webhooks/session-end/x', 1)];
      expect(others).toEqual([401, 404]);
      await expect.poll(() => statusOf('/healthz')).toBe(200);

      const alex = personIn(world);
      const opened = await watchAsBrowser(alex, await alex.type('/cobrowse watch jane'));
      expect([new URL(opened.url).origin, opened.status]).toEqual([publicUrl, 302]);
      expect(await tellOf({ publicUrl }, 'ended')).toBe(200);
      await summaryOf(world, 'ended');
    },
  );
});

// nginx asks no copy whether it's alive, so it sends requests to one until that refuses them.
describe.skipIf(!hasPostgres || caddyPath === undefined).each([postgresql])(
  'three copies of the app over $engine behind Caddy',
  (engine) => {
    it('restart one by one, and no request fails, and each summary is posted once', async () => {
      const ports = await Promise.all([freePort(), freePort(), freePort()]);
      const publicUrl = `https://localhost:${await freePort()}`;
      const settings = { STORE_URL: await engine.newUrl(), PUBLIC_URL: publicUrl, DRAIN_SECONDS: '3' };
      const slack = { seed: manyChannels, ackLimitMs: 45_000 };
      const world = await openRealWorld({ slack, settings: async () => settings });
      trust(await startCaddy(publicUrl, ...ports.map((port) => `127.0.0.1:${port}`)));
      const statusOf = () => fetch(`${publicUrl}/healthz`).then(({ status }) => status);
      const untilAlive = async () => {
        await expect.poll(() => statusOf().catch(() => 0)).toBe(200);
      };
      const { codes, told, seen } = await restartUnderTraffic({ world, ports, publicUrl, untilAlive });
      expect([...seen.keys()].toSorted()).toEqual(ALL_WELL);
      expect(codes).toEqual([0, 0, 0]);
      expect(idsSeenBy(world.slack).toSorted()).toEqual(told.toSorted());
    });
  },
);
