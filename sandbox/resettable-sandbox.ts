import { startSandbox, type Sandbox, type SandboxOptions } from './sandbox.ts';

/** A sandbox whose page can put everything back to its start. */
export interface ResettableSandbox {
  /** What runs since the last reset. */
  readonly current: () => Promise<Sandbox>;
  close(): Promise<void>;
}

const portOf = (url: string) => Number(new URL(url).port);

/** Starts a sandbox. A reset closes it and starts another one, whose stand-ins have the same addresses. */
export async function startResettableSandbox(options: SandboxOptions): Promise<ResettableSandbox> {
  const { port = 0, umbrellaPort = 0, service: { port: servicePort = 0 } = {} } = options;
  let resets = 0;
  const start = (at: {
    readonly slack: number;
    readonly umbrella: number;
    readonly service: number;
    readonly receiver: number;
  }) =>
    startSandbox({
      ...options,
      port: at.slack,
      umbrellaPort: at.umbrella,
      receiverPort: at.receiver,
      slack: { ...options.slack, reset, resets },
      service: { ...options.service, port: at.service },
    });
  let running: Promise<Sandbox>;
  /** One after another: each closes what the one before has started. */
  async function reset(): Promise<void> {
    running = running.then(async (sandbox) => {
      const { slack, many, service, receiver } = sandbox;
      // Pages of running sessions hear that it's over; they would wait for the service forever.
      for (const { id, ended_at: endedAt } of service.sessions())
        if (endedAt === null) await service.endSession(id);
      await sandbox.close();
      resets += 1;
      const umbrella = many === undefined ? 0 : portOf(many.umbrella.url);
      return start({
        slack: portOf(slack.url),
        umbrella,
        service: portOf(service.url),
        receiver: portOf(receiver.url),
      });
    });
    await running;
  }
  running = start({ slack: port, umbrella: umbrellaPort, service: servicePort, receiver: 0 });
  await running;
  return {
    current: () => running,
    close: async () => (await running).close(),
  };
}
