import { parseArgs } from 'node:util';
import { z } from 'zod';
import type { SandboxDeployment } from './sandbox.ts';
import { misbehaviorBody, misbehaviors, type Misbehavior } from './service/misbehavior.ts';

/** How the sandbox was asked to start. */
export interface SandboxArguments {
  /** Undefined: the usual one, or any free one. */
  readonly port: number | undefined;
  /** The stand-in co-browsing service alone. */
  readonly serviceOnly: boolean;
  readonly socketMode: boolean;
  /** 2: the app is installed by OAuth in each of them. */
  readonly workspaces: 1 | 2;
  readonly deployment: SandboxDeployment;
  /** Visitors in the sandbox's shop play their part by themselves. */
  readonly story: boolean;
  readonly logLevel: string;
  readonly proxyEnabled: boolean;
  /** Undefined: the stand-in's default. */
  readonly sessionLimit: number | undefined;
  readonly misbehavior: Misbehavior;
}

const options = {
  port: { type: 'string' },
  'service-only': { type: 'boolean', default: false },
  socket: { type: 'boolean', default: false },
  workspaces: { type: 'string', default: '1' },
  'on-premise': { type: 'boolean', default: false },
  connected: { type: 'boolean', default: false },
  story: { type: 'boolean', default: false },
  log: { type: 'string', default: 'warn' },
  'session-limit': { type: 'string' },
  'without-proxy': { type: 'boolean', default: false },
  misbehave: { type: 'string', default: '{}' },
  help: { type: 'boolean', default: false },
} as const;

const line = (words: string, meaning: string) => `  ${words.padEnd(20)}  ${meaning}`;

/** What `--help` prints. */
export const usage = `Usage: npm run sandbox -- [switches]

${line('--port N', 'the page’s port (default 3070, or any free port if that is taken)')}
${line('--socket', 'run the app in Socket Mode, without a public address: Watch takes two steps')}
${line('--workspaces 2', 'two workspaces, each of which installs the app by OAuth')}
${line('--on-premise', 'visitors and watch links come from an on-premise installation')}
${line('--connected', 'with --on-premise: connected to the dashboard, so the app has no cloud')}
${line('--story', 'Jane plays her part in the live view by herself; you only help her')}
${line('--log LEVEL', 'show the app’s log from this level up (default warn)')}
${line('--service-only', 'only the stand-in service, to test your own client against it;')}
${line('', '--port N is its port (default any); prints its keys and a snippet for a page')}

The stand-in service:
${line('--session-limit N', 'how many sessions can run at a time; above it 402 (default 3)')}
${line('--without-proxy', 'the account has no universal proxy: 402')}
${line('--misbehave JSON', 'how it misbehaves (its front page says how to change it while it runs):')}
${misbehaviors.map(([json, meaning]) => `  ${json.padEnd(35)}  ${meaning}`).join('\n')}
A session end without a webhook is looked up: within half a minute here, within minutes elsewhere.

To make the stand-in Slack misbehave, POST JSON to /page-api/misbehave at its page's address:
  {"method":"chat.postMessage","how":{"retryAfter":30},"times":3}
  {"method":"chat.postMessage","how":"lose-answer","share":0.2}
  {"method":"chat.postMessage"}
"how" is a Slack error code, {"retryAfter":SECONDS}, {"status":N}, "hang" or "lose-answer" (it does
its work and drops the answer); without "how" the method behaves again. The method is one of Slack's
Web API, "response_url" or "upload".
`;

/** Reads the command line. Complaints are for whoever typed it. */
export function readArguments(
  words: readonly string[],
): SandboxArguments | { readonly complaint: string } | 'help' {
  try {
    const { values } = parseArgs({ args: [...words], options });
    if (values.help) return 'help';
    if (values.connected && !values['on-premise']) return { complaint: '--connected needs --on-premise' };
    const workspaces = values.workspaces === '2' ? 2 : 1;
    if (String(workspaces) !== values.workspaces) return { complaint: '--workspaces must be 1 or 2' };
    if (workspaces === 2 && values.socket)
      return { complaint: '--workspaces 2 doesn’t go with --socket: many workspaces are served over HTTP' };
    const misbehavior = misbehaviorBody.safeParse(JSON.parse(values.misbehave));
    if (!misbehavior.success) return { complaint: `--misbehave: ${z.prettifyError(misbehavior.error)}` };
    const onPremise = values.connected ? 'on-premise-connected' : 'on-premise';
    return {
      port: readNumber('port', values.port, 65_535),
      serviceOnly: values['service-only'],
      socketMode: values.socket,
      workspaces,
      deployment: values['on-premise'] ? onPremise : 'cloud',
      story: values.story,
      logLevel: values.log,
      proxyEnabled: !values['without-proxy'],
      sessionLimit: readNumber('session-limit', values['session-limit'], 1_000_000),
      misbehavior: misbehavior.data,
    };
  } catch (error) {
    return { complaint: error instanceof Error ? error.message : String(error) };
  }
}

function readNumber(name: string, text: string | undefined, most: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,7}$/.test(text) && Number(text) <= most) return Number(text);
  throw new Error(`--${name} must be a number up to ${most}`);
}
