import { spawn, spawnSync, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from './free-port.ts';
import { postgresPrograms } from './machine.ts';

/** Source: man proc_pid_stat. Those of its children that have ended are counted with the process. */
function ticksOf(pid: string): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /su, '')
    .split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0);
}

/** Its commits may be lost in a power cut: for tests that don't ask about them. */
const FAST = ['fsync=off'];

const idOf = (option: string) => Number(spawnSync('id', [option, 'postgres'], { encoding: 'utf8' }).stdout);

/** The user that a server runs as: PostgreSQL refuses root. */
function serverUser(): Pick<SpawnOptions, 'uid' | 'gid'> {
  if (process.getuid?.() !== 0) return {};
  return { uid: idOf('-u'), gid: idOf('-g') };
}

/** Starts a server in a folder as this user; resolves once it has said that it's up. */
export async function launchServer(path: string, given: readonly string[], folder: string, isUp: RegExp) {
  const server = spawn(path, given, {
    ...serverUser(),
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(server, 'close');
  let said = '';
  server.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  while (!isUp.test(said)) {
    await Promise.race([once(server.stderr, 'data'), ended]);
    if ((server.exitCode ?? server.signalCode) !== null) throw new Error(`${path} ended: ${said}`);
  }
  return { pid: server.pid ?? 0, ended, kill: () => server.kill('SIGKILL') };
}

/** A folder that a server may write to. */
export async function folderForServer(name: string): Promise<string> {
  const { uid, gid } = serverUser();
  const folder = await mkdtemp(join(tmpdir(), name));
  if (uid !== undefined && gid !== undefined) await chown(folder, uid, gid);
  return folder;
}

/** Runs one of PostgreSQL's own programs to its end. */
function run(program: string, given: readonly string[], folder: string): void {
  const { status, stderr } = spawnSync(join(postgresPrograms ?? '', program), given, {
    ...serverUser(),
    cwd: folder,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${program}: ${stderr}`);
}

/** Starts a server that nobody else uses in a folder of its own, with these settings besides PostgreSQL's usual ones. */
export async function startOwnPostgres(settings: readonly string[] = FAST) {
  const folder = await folderForServer('own-postgres-');
  const made = ['--pgdata', join(folder, 'data'), '--username', 'postgres', '--auth', 'trust', '--no-sync'];
  run('initdb', made, folder);
  return startServer(folder, settings);
}

/** Starts one that follows another by streaming replication: what is committed there is here first. */
export async function startStandby(primaryUrl: string) {
  const folder = await folderForServer('own-postgres-');
  const from = ['--dbname', `${primaryUrl}?application_name=standby`, '--write-recovery-conf', '--no-sync'];
  run('pg_basebackup', ['--pgdata', join(folder, 'data'), '--checkpoint', 'fast', ...from], folder);
  const standby = await startServer(folder, FAST);
  const primary = new pg.Client({ connectionString: primaryUrl });
  await primary.connect();
  await primary.query(`ALTER SYSTEM SET synchronous_standby_names = 'standby'`);
  await primary.query('SELECT pg_reload_conf()');
  await primary.end();
  return standby;
}

async function startServer(folder: string, settings: readonly string[]) {
  const data = join(folder, 'data');
  const port = await freePort();
  const all = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', ...settings];

  const launch = () =>
    launchServer(
      join(postgresPrograms ?? '', 'postgres'),
      ['-D', data, '-p', String(port), ...all.flatMap((setting) => ['-c', setting])],
      folder,
      /ready to accept (?:read-only )?connections/u,
    );
  let server = await launch();
  function children(): readonly string[] {
    const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(server.pid)], { encoding: 'utf8' });
    return stdout.split(/\s+/).filter((child) => child !== '');
  }
  const signalAll = (signal: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL') => {
    // The first one stops before the others, so that it starts no more of them, and ends after them, so that they can be found.
    if (signal !== 'SIGKILL') process.kill(server.pid, signal);
    // A command of its own, since it goes on where one of them has ended meanwhile.
    spawnSync('kill', ['-s', signal.replace(/^SIG/, ''), ...children()]);
    if (signal === 'SIGKILL') process.kill(server.pid, signal);
  };
  const thaw = () => signalAll('SIGCONT');
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    /** The folder of its data. */
    data,
    /** Stops all its processes where they are: it still accepts connections, and answers nothing. */
    freeze: () => signalAll('SIGSTOP'),
    thaw,
    /** What all its processes have used of the processor so far, microseconds, to a hundredth of a second. */
    cpuUs: () => [String(server.pid), ...children()].reduce((sum, one) => sum + ticksOf(one) * 10_000, 0),
    /** Makes a standby accept changes. */
    promote: () => run('pg_ctl', ['promote', '--pgdata', data, '--wait'], folder),
    /** Ends all of them at once, as a power cut does. */
    async kill() {
      signalAll('SIGSTOP');
      signalAll('SIGKILL');
      await server.ended;
    },
    /** Starts it again on what is on its disk. */
    async start() {
      server = await launch();
    },
    /** Ends it, and removes its data unless they are to be kept. */
    async close(isKept = false) {
      thaw();
      process.kill(server.pid, 'SIGQUIT');
      await server.ended;
      if (!isKept) await rm(folder, { recursive: true, force: true });
    },
  };
}
