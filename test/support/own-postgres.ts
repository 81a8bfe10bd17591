import { spawn, spawnSync } from 'node:child_process';
import type { SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { postgresPrograms } from './machine.ts';

/** A PostgreSQL server that nobody else uses. */
interface OwnPostgres {
  readonly url: string;
  /** Stops all its processes where they are: it still accepts connections, and answers nothing. */
  freeze(): void;
  /** Lets them go on. */
  thaw(): void;
  /** What all its processes have used of the processor so far, microseconds, to a hundredth of a second. */
  cpuUs(): number;
  close(): Promise<void>;
}

/** Source: man proc_pid_stat. Those of its children that have ended are counted with the process. */
function ticksOf(pid: string): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /su, '')
    .split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0);
}

const idOf = (option: string) => Number(spawnSync('id', [option, 'postgres'], { encoding: 'utf8' }).stdout);

/** The user that a server runs as: PostgreSQL refuses root. */
export function serverUser(): Pick<SpawnOptions, 'uid' | 'gid'> {
  if (process.getuid?.() !== 0) return {};
  return { uid: idOf('-u'), gid: idOf('-g') };
}

/** Starts one in a folder of its own. */
export async function startOwnPostgres(): Promise<OwnPostgres> {
  const programs = postgresPrograms ?? '';
  const user = serverUser();
  const folder = await mkdtemp(join(tmpdir(), 'own-postgres-'));
  if (user.uid !== undefined && user.gid !== undefined) await chown(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  const made = spawnSync(
    join(programs, 'initdb'),
    ['--pgdata', data, '--username', 'postgres', '--auth', 'trust', '--no-sync'],
    { ...user, cwd: folder, encoding: 'utf8' },
  );
  if (made.status !== 0) throw new Error(`initdb: ${made.stderr}`);
  const port = await freePort();
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off'];
  const server = spawn(
    join(programs, 'postgres'),
    ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
    { ...user, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const ended = once(server, 'close');
  const pid = server.pid ?? 0;
  function children(): readonly string[] {
    const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' });
    return stdout.split(/\s+/).filter((child) => child !== '');
  }
  const signalAll = (signal: NodeJS.Signals) => {
    // The first one before the others, so that it starts no more of them.
    process.kill(pid, signal);
    // A command of its own, since it goes on where one of them has ended meanwhile.
    spawnSync('kill', ['-s', signal.replace(/^SIG/, ''), ...children()]);
  };
  const cpuUs = () => [String(pid), ...children()].reduce((sum, one) => sum + ticksOf(one) * 10_000, 0);
  const thaw = () => signalAll('SIGCONT');
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const close = async () => {
    thaw();
    server.kill('SIGQUIT');
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  const { promise: isUp, resolve } = Promise.withResolvers<void>();
  let said = '';
  server.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    if (said.includes('ready to accept connections')) resolve();
  });
  const gone = ended.then(() => Promise.reject(new Error(`The server ended: ${said}`)));
  gone.catch(() => undefined);
  await Promise.race([isUp, gone]);
  return { url, freeze: () => signalAll('SIGSTOP'), thaw, cpuUs, close };
}
