import { enableCompileCache } from 'node:module';
import { parseArgs } from 'node:util';

enableCompileCache();
const { createLog } = await import('../log.ts');
const { startSandbox } = await import('./sandbox.ts');

const USAGE = `Usage: npm run sandbox -- [--port N] [--socket] [--log LEVEL]

  --port N     where the page listens (default 3070, or any free port where that is taken)
  --socket     the app in Socket Mode, without a public address: Watch becomes a two-step button
  --log LEVEL  the app's log lines from this level on (default warn)
`;

const DEFAULT_PORT = 3070;

function readArguments() {
  try {
    const { values } = parseArgs({
      options: {
        port: { type: 'string' },
        socket: { type: 'boolean', default: false },
        log: { type: 'string', default: 'warn' },
        help: { type: 'boolean', default: false },
      },
    });
    return values;
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    process.exit(2);
  }
}

const isTaken = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';

const { port, socket, log: level, help } = readArguments();
if (help) {
  console.log(USAGE);
  process.exit(0);
}
const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const log = createLog({ level: levels.find((known) => known === level) ?? 'warn', secrets: [] });
const options = { socketMode: socket, lively: true, log };
const sandbox = await startSandbox({ ...options, port: Number(port ?? DEFAULT_PORT) }).catch(
  (error: unknown) => {
    if (port !== undefined || !isTaken(error)) throw error;
    return startSandbox({ ...options, port: 0 });
  },
);

console.log(`
  The sandbox runs: a stand-in Slack, a stand-in co-browsing service, and the real app between them.
  No account is needed and no request leaves this machine.

  Open       ${sandbox.slack.url}/
  Then type  /cobrowse find jane    and press Watch.

  Ctrl+C ends it.
`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void sandbox.close().then(() => process.exit(0)));
}
