import { spawn, spawnSync } from 'node:child_process';
import type { SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { postgresPrograms } from './machine.ts';

/** A PostgreSQL server that nobody else uses. */
interface OwnPostgres {
  readonly url: string;
  /** The folder of its data. */
  readonly data: string;
  /** Stops all its processes where they are: it still accepts connections, and answers nothing. */
  freeze(): void;
  /** Lets them go on. */
  thaw(): void;
  /** Ends all of them at once, as a power cut does. */
  kill(): Promise<void>;
  /** Starts it again on what is on its disk. */
  start(): Promise<void>;
  /** Ends it, and removes its data unless they are to be kept. */
  close(isKept?: boolean): Promise<void>;
}

/** Its commits may be lost in a power cut: for tests that don't ask about them. */
const FAST = ['fsync=off'];

const idOf = (option: string) => Number(spawnSync('id', [option, 'postgres'], { encoding: 'utf8' }).stdout);

/** The user that a server runs as: PostgreSQL refuses root. */
function serverUser(): Pick<SpawnOptions, 'uid' | 'gid'> {
  if (process.getuid?.() !== 0) return {};
  return { uid: idOf('-u'), gid: idOf('-g') };
}

/** Starts one in a folder of its own, with these settings besides PostgreSQL's usual ones. */
export async function startOwnPostgres(settings: readonly string[] = FAST): Promise<OwnPostgres> {
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
  const all = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', ...settings];

  /** Resolves when it answers. */
  async function launch() {
    const server = spawn(
      join(programs, 'postgres'),
      ['-D', data, '-p', String(port), ...all.flatMap((setting) => ['-c', setting])],
      { ...user, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    const ended = once(server, 'close');
    const { promise: isUp, resolve } = Promise.withResolvers<void>();
    let said = '';
    server.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (said.includes('ready to accept connections')) resolve();
    });
    const gone = ended.then(() => Promise.reject(new Error(`The server ended: ${said}`)));
    gone.catch(() => undefined);
    await Promise.race([isUp, gone]);
    return { pid: server.pid ?? 0, ended };
  }
  let server = await launch();
  const signalAll = (signal: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL') => {
    // The first one stops before the others, so that it starts no more of them, and ends after them, so that they can be found.
    if (signal !== 'SIGKILL') process.kill(server.pid, signal);
    const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(server.pid)], { encoding: 'utf8' });
    // A command of its own, since it goes on where one of them has ended meanwhile.
    spawnSync('kill', [
      '-s',
      signal.replace(/^SIG/, ''),
      ...stdout.split(/\s+/).filter((child) => child !== ''),
    ]);
    if (signal === 'SIGKILL') process.kill(server.pid, signal);
  };
  const thaw = () => signalAll('SIGCONT');
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  return {
    url,
    data,
    freeze: () => signalAll('SIGSTOP'),
    thaw,
    async kill() {
      signalAll('SIGSTOP');
      signalAll('SIGKILL');
      await server.ended;
    },
    async start() {
      server = await launch();
    },
    async close(isKept = false) {
      thaw();
      process.kill(server.pid, 'SIGQUIT');
      await server.ended;
      if (!isKept) await rm(folder, { recursive: true, force: true });
    },
  };
}
