import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { pgbouncerPath } from './machine.ts';
import { serverUser } from './own-postgres.ts';

/** Fewer than the app opens to it, so that they take turns on the server's. */
const TO_SERVER = 4;

/** Starts PgBouncer in transaction mode before a server, with Debian's settings for everything else. */
export async function startOwnPooler(serverUrl: string, mode: 'transaction' | 'session' = 'transaction') {
  const to = new URL(serverUrl);
  const user = serverUser();
  const folder = await mkdtemp(join(tmpdir(), 'own-pooler-'));
  if (user.uid !== undefined && user.gid !== undefined) await chown(folder, user.uid, user.gid);
  const port = await freePort();
  const settings = join(folder, 'pgbouncer.ini');
  await writeFile(
    settings,
    `[databases]
* = host=${to.hostname} port=${to.port} user=${to.username}${to.password === '' ? '' : ` password=${to.password}`}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = ${TO_SERVER}
`,
  );
  const pooler = spawn(pgbouncerPath ?? '', [settings], {
    ...user,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(pooler, 'close');
  const { promise: isUp, resolve } = Promise.withResolvers<void>();
  let said = '';
  pooler.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    if (said.includes('process up')) resolve();
  });
  const gone = ended.then(() => Promise.reject(new Error(`PgBouncer ended: ${said}`)));
  gone.catch(() => undefined);
  await Promise.race([isUp, gone]);
  const url = new URL(to);
  url.port = String(port);
  return {
    url: url.href,
    async close() {
      pooler.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
