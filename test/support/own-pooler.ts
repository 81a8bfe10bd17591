import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { pgbouncerPath } from './machine.ts';
import { folderForServer, launchServer } from './own-postgres.ts';

/** Fewer than the app opens to it, so that they take turns on the server's. */
const TO_SERVER = 4;

/** Starts PgBouncer in transaction mode before a server, with Debian's settings for everything else. */
export async function startOwnPooler(serverUrl: string) {
  const to = new URL(serverUrl);
  const folder = await folderForServer('own-pooler-');
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
pool_mode = transaction
default_pool_size = ${TO_SERVER}
`,
  );
  const pooler = await launchServer(pgbouncerPath ?? '', [settings], folder, /process up/u);
  const url = new URL(to);
  url.port = String(port);
  return {
    url: url.href,
    async close() {
      pooler.kill();
      await pooler.ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
