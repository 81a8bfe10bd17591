import { randomBytes } from 'node:crypto';
import { createLog } from '../src/logging/log.ts';
import { readArguments, usage } from './arguments.ts';
import { startResettableSandbox } from './resettable-sandbox.ts';
import { seededVisitors } from './service/seed-visitors.ts';
import { startService } from './service/service.ts';
import { firstCommand } from './slack/tour.ts';

const DEFAULT_PORT = 3070;
/** In a sandbox nobody waits ten minutes: a session end that needs looking up becomes a summary in half a minute. */
const QUICK_LOOKS = { firstMs: 15_000, leastGapMs: 5_000, mostGapMs: 10_000, graceMs: 5_000 };

const isTaken = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';

const asked = readArguments(process.argv.slice(2));
if (asked === 'help') {
  console.log(usage);
  process.exit(0);
}
if ('complaint' in asked) {
  console.error(`${asked.complaint}\n\n${usage}`);
  process.exit(2);
}

const { port, deployment, socketMode, workspaces, logLevel, serviceOnly, story } = asked;
const { sessionLimit, proxyEnabled, misbehavior } = asked;
const service = { proxyEnabled, misbehavior, story, sessionLimit };
const running = await (serviceOnly ? runService() : runSandbox()).catch((error: unknown) => {
  if (!isTaken(error)) throw error;
  console.error(`Port ${port} is taken.`);
  process.exit(1);
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void running.close().then(() => process.exit(0)));
}
console.log(`  Press Ctrl+C to stop it.\n`);

async function runSandbox() {
  const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
  const log = createLog({ level: levels.find((known) => known === logLevel) ?? 'warn', secrets: [] });
  const options = {
    socketMode,
    workspaces,
    deployment,
    lively: true,
    // Umbrella and Acme install the app themselves.
    sendsWebhooks: workspaces === 1,
    log,
    service,
    reconcile: QUICK_LOOKS,
    // The first steps begin with an app that's there.
    slack: { tour: workspaces === 1 },
  };
  const sandbox = await startResettableSandbox({ ...options, port: port ?? DEFAULT_PORT }).catch(
    (error: unknown) => {
      if (port !== undefined || !isTaken(error)) throw error;
      return startResettableSandbox({ ...options, port: 0 });
    },
  );
  const { slack, many, service: standIn, receiver } = await sandbox.current();
  const toType =
    many === undefined
      ? `Then type  ${firstCommand}    (the code on Jane's page)    and press Watch.`
      : `Then       press Install Co-browse, below the channels, and invite it: /invite @cobrowse
  Then type  ${firstCommand}    (the code on Jane's page)    and press Watch.
  Umbrella   ${many.umbrella.url}/    (the other workspace; its name leads from one to the other)
  Account    ${many.account.url}    (of Umbrella: connect it in the app's Home there, as Ada), API key ${many.account.apiKey}`;
  console.log(`
  The sandbox runs: a stand-in Slack, a stand-in co-browsing service, and the real app between them.
  No account is needed and no request leaves this machine.

  Open       ${slack.url}/
  ${toType}
  Her side   is next to yours${story ? '; she plays it by herself.' : ', in the tab that opens.'}
  Service    ${standIn.url}/    (the stand-in: switches, and how to call it)
  Webhooks   ${receiver.url}/    (what the app sends to a helpdesk or program)
`);
  return sandbox;
}

async function runService() {
  const [apiKey, restKey] = [randomBytes(24).toString('hex'), randomBytes(24).toString('hex')];
  const isOnPremise = deployment !== 'cloud';
  const connected = deployment === 'on-premise-connected';
  const alone = await startService({
    apiKey,
    lively: true,
    ...service,
    seed: seededVisitors,
    ...(isOnPremise ? { onPremise: { restKey, connected } } : {}),
    port: port ?? 0,
  });
  const installation = `
  On-premise  ${alone.onPremise.baseEndpoint}
  REST key    ${restKey}    (header Authorization)
`;
  console.log(`
  The stand-in co-browsing service runs, with invented visitors.

  Cloud       ${alone.url}
  API key     ${apiKey}    (header X-Api-Key)
${isOnPremise ? installation : ''}
  Site key    ${alone.siteKey}    (public; put this into a page of your own on this machine)

  <script src="${alone.url}/snippet/snippet.js" data-site-key="${alone.siteKey}" async></script>

  Whoever has that page open is a visitor, found by the code in window.cobrowse.code. What is typed
  stays hidden unless the field has data-cobrowse-show; data-cobrowse-mask hides words,
  data-cobrowse-block a part of the page.

  Open ${alone.url}/ to see how to make it misbehave.
`);
  return alone;
}
