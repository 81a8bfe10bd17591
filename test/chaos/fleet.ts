import { startAppProcess, type AppProcess } from './app-process.ts';

interface FleetOptions {
  /** The settings of the process of this number. */
  readonly settingsFor: (process: number) => Readonly<Record<string, string>>;
  /** Where each process listens. */
  readonly urls: readonly string[];
  readonly preloads: readonly string[];
  readonly logPath: string;
  /** Milliseconds since 1970: when the run begins, by its own clock. */
  readonly beginAt: number;
}

/** One or several processes of the app over one store, on one clock; what befalls one of them takes one after the other. */
export interface Fleet extends AppProcess {
  /** Whether there are several. */
  readonly isFleet: boolean;
  /** Ends all of them as a power cut does. */
  killAll(): Promise<void>;
  /** Resolves when one of them answers. */
  serves(): Promise<void>;
  /** The address of one after the other. */
  readonly nextUrl: () => string;
}

export function startFleet({ settingsFor, urls, preloads, logPath, beginAt }: FleetOptions): Fleet {
  const apps = urls.map((url, process) =>
    startAppProcess({ url, settings: settingsFor(process), preloads, logPath, beginAt }),
  );
  const [first] = apps;
  if (first === undefined) throw new Error('A run needs a process of the app.');
  let turn = 0;
  const one = () => apps[turn % apps.length] ?? first;
  let asked = 0;

  return {
    isFleet: apps.length > 1,
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
    pause() {
      const paused = one();
      turn += 1;
      return paused.pause();
    },
    async restart() {
      for (const app of apps) await app.restart();
    },
    pid: () => one().pid(),
    serves: () => Promise.any(apps.map((app) => app.ready())),
    nextUrl: () => urls[asked++ % urls.length] ?? '',
    starts: () => apps.reduce((sum, app) => sum + app.starts(), 0),
    ready: async () => void (await Promise.all(apps.map((app) => app.ready()))),
    stop: async () => void (await Promise.all(apps.map((app) => app.stop()))),
    badEnds: () => apps.flatMap((app) => app.badEnds()),
  };
}
