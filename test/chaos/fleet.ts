import { startAppProcess } from './app-process.ts';
import type { AppProcess } from './app-process.ts';

interface FleetOptions {
  /** The settings of the process that listens at this port. */
  readonly settingsFor: (port: number) => Readonly<Record<string, string>>;
  readonly ports: readonly number[];
  readonly logPath: string;
  /** Milliseconds since 1970: when the run begins, by its own clock. */
  readonly beginAt: number;
}

/** One or several processes of the app over one store, on one clock; `kill` and `skew` take one after the other. */
export function startFleet({ settingsFor, ports, logPath, beginAt }: FleetOptions): AppProcess {
  const apps = ports.map((port) =>
    startAppProcess({ url: `http://127.0.0.1:${port}`, settings: settingsFor(port), logPath, beginAt }),
  );
  const [first] = apps;
  if (first === undefined) throw new Error('A run needs a process of the app.');
  let turn = 0;
  const one = () => apps[turn % apps.length] ?? first;

  return {
    now: first.now,
    leap: (ms) => apps.forEach((app) => app.leap(ms)),
    skew(ms) {
      if (ms === 0) apps.forEach((app) => app.skew(0));
      else one().skew(ms);
    },
    async kill() {
      const killed = one();
      turn += 1;
      await killed.kill();
    },
    killAll: async () => void (await Promise.all(apps.map((app) => app.kill()))),
    pid: () => one().pid(),
    starts: () => apps.reduce((sum, app) => sum + app.starts(), 0),
    ready: async () => void (await Promise.all(apps.map((app) => app.ready()))),
    async stop() {
      const codes = await Promise.all(apps.map((app) => app.stop()));
      return codes.find((code) => code !== 0) ?? 0;
    },
  };
}
