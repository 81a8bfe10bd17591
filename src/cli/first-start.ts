import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { cancel, intro, log, outro, password, select, spinner, text } from '@clack/prompts';
import { WebClient } from '@slack/web-api';
import { appTokenCheck, serviceCheck, slackCheck } from '../admin/checks.ts';
import { examine, type Check } from '../admin/findings.ts';
import { createCobrowse } from '../cobrowse/client.ts';
import { ConfigError, readConfig, slackAccessIn } from '../config/config.ts';
import { createLog } from '../logging/log.ts';
import { manifestFor } from './manifest.ts';
import { looksLikeSigningSecret, createSlackAgent, webClientOptions } from '../workspaces/web-client.ts';
import { NEEDED_SCOPES, appTokenState, tokenState } from '../slack/setup-state.ts';

/* A first start on a terminal asks for one workspace's settings, tries each as the doctor does, and writes them to `.env`. */

type Settings = Readonly<Record<string, string>>;

interface Question {
  readonly name: string;
  readonly asks: string;
  readonly isSecret?: true;
  /** Completed with https://. */
  readonly isAddress?: true;
  readonly refuse?: (answer: string) => string | undefined;
}

class CalledOffError extends Error {}

/** Ctrl+C answers with a symbol. */
function answered(answer: string | symbol): string {
  if (typeof answer === 'symbol') throw new CalledOffError();
  return answer;
}

const choose = async (message: string, options: { value: string; label: string; hint?: string }[]) =>
  answered(await select({ message, options }));

/** What is wrong with one setting, as the app's start would say. */
function complaintAbout(name: string, value: string): string | undefined {
  try {
    readConfig({ [name]: value });
    return undefined;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const complaint = error.complaints.find((one) => one.startsWith(`${name} `));
    return complaint === undefined ? undefined : `It ${complaint.slice(name.length + 1)}.`;
  }
}

async function ask({ name, asks, isSecret, isAddress, refuse }: Question): Promise<string> {
  const whole = (typed: string) =>
    isAddress && !typed.includes('://') ? `https://${typed.trim()}` : typed.trim();
  function validate(typed = ''): string | undefined {
    if (typed.trim() === '') return 'Type or paste it, or press Ctrl+C to stop.';
    return complaintAbout(name, whole(typed)) ?? refuse?.(whole(typed));
  }
  return whole(answered(await (isSecret ? password : text)({ message: asks, validate })));
}

async function works(checks: readonly Check[]): Promise<boolean> {
  const trying = spinner();
  trying.start('Trying it');
  const findings = await examine(checks);
  trying.stop('Tried:');
  for (const { about, state, says, next } of findings) {
    const words = `${about}: ${says}${next === undefined ? '' : `\n${next}`}`;
    if (state === 'ok') log.success(words);
    else if (state === 'warning') log.warn(words);
    else log.error(words);
  }
  return findings.every(({ state }) => state !== 'failure');
}

/** Asks until it works, or is to be kept as it is. What was right isn't asked again. */
async function askAndTry(questions: readonly Question[], checksOf: (answers: Settings) => readonly Check[]) {
  const answers: Record<string, string> = {};
  for (const question of questions) answers[question.name] = await ask(question);
  for (;;) {
    if (await works(checksOf(answers))) return answers;
    // A key is wrong more often than the address before it.
    const chosen = await choose('That doesn’t work yet.', [
      ...questions.toReversed().map(({ name, asks }) => ({ value: name, label: `Answer again: ${asks}` })),
      { value: 'keep', label: 'Keep it, and mend it later' },
    ]);
    const again = questions.find(({ name }) => name === chosen);
    if (again === undefined) return answers;
    answers[again.name] = await ask(again);
  }
}

const APP_PAGE = 'on the app’s page at api.slack.com/apps';

const secret = (name: string, asks: string): Question => ({ name, asks, isSecret: true });
const BOT_TOKEN = secret('SLACK_BOT_TOKEN', `Bot User OAuth Token (OAuth & Permissions, ${APP_PAGE})`);
const APP_TOKEN = secret(
  'SLACK_APP_TOKEN',
  `App-level token with connections:write (Basic Information, ${APP_PAGE})`,
);
/** Nothing can try it before Slack's first request. */
const SIGNING_SECRET: Question = {
  ...secret('SLACK_SIGNING_SECRET', `Signing Secret (Basic Information, ${APP_PAGE})`),
  refuse: (answer) =>
    looksLikeSigningSecret(answer)
      ? undefined
      : 'That doesn’t look like a signing secret, which is 32 letters and digits.',
};

const MANIFEST_FILE = 'cobrowse-manifest.json';

/** The link takes most of a screen, and some terminals cut it. */
async function showManifest(manifest: string): Promise<void> {
  await writeFile(MANIFEST_FILE, manifest);
  log.step(
    `Open this link, create the app in your workspace, and install it there. If the link is cut: at https://api.slack.com/apps press Create New App, From a manifest, and paste ${MANIFEST_FILE}.`,
  );
  // Not in a frame, whose lines would break it.
  process.stdout.write(
    `https://api.slack.com/apps?new_app=1&manifest_json=${encodeURIComponent(manifest)}\n`,
  );
}

const ADDRESS: Question = {
  name: 'PUBLIC_URL',
  isAddress: true,
  asks: 'Which address? https://…',
  refuse: (answer) =>
    manifestFor(answer, undefined) === undefined
      ? 'It must begin with https://, since Slack sends to no other address.'
      : undefined,
};

async function askAboutSlack(environment: NodeJS.ProcessEnv): Promise<Settings> {
  const { apiUrl, proxy } = slackAccessIn(environment);
  const silent = createLog({ level: 'silent', secrets: [] });
  const options = webClientOptions({ apiUrl, slackAgent: createSlackAgent(proxy), log: silent });
  const clientWith = (token: string) => new WebClient(token, options);
  const reach = await choose('How does Slack reach the app?', [
    { value: 'address', label: 'At an https address of mine', hint: 'behind a proxy or a load balancer' },
    { value: 'socket', label: 'By Socket Mode', hint: 'needs no address' },
  ]);
  const isSocket = reach === 'socket';
  const address: Settings = isSocket ? {} : { PUBLIC_URL: await ask(ADDRESS) };
  await showManifest(JSON.stringify(manifestFor(address['PUBLIC_URL'] ?? '--socket', undefined)));
  const bot = await askAndTry([BOT_TOKEN], ({ SLACK_BOT_TOKEN: typed = '' }) => {
    const token = () => tokenState(clientWith(typed));
    return [slackCheck({ token, neededScopes: NEEDED_SCOPES, installUrl: undefined })];
  });
  const own = isSocket
    ? await askAndTry([APP_TOKEN], ({ SLACK_APP_TOKEN: token = '' }) => [
        appTokenCheck(() => appTokenState(clientWith(token), token)),
      ])
    : { SLACK_SIGNING_SECRET: await ask(SIGNING_SECRET) };
  return { ...address, ...bot, ...own };
}

const CLOUD: readonly Question[] = [
  { name: 'COBROWSE_BASE_URL', isAddress: true, asks: 'Address of your account’s REST API' },
  secret('COBROWSE_API_KEY', 'Its API key'),
];
const INSTALLATION: readonly Question[] = [
  { name: 'COBROWSE_ONPREM_BASE_ENDPOINT', isAddress: true, asks: 'Address of your installation' },
  secret('COBROWSE_ONPREM_REST_KEY', 'Its REST API key'),
];

async function askAboutService(environment: NodeJS.ProcessEnv, given: Settings): Promise<Settings> {
  const kind = await choose('Which co-browsing service?', [
    { value: 'cloud', label: 'The cloud' },
    { value: 'connected', label: 'An installation of ours', hint: 'connected to the vendor’s dashboard' },
    { value: 'both', label: 'An installation of ours, and the cloud beside it' },
  ]);
  const connected: Settings = kind === 'connected' ? { COBROWSE_ONPREM_CONNECTED: 'true' } : {};
  const questions = [...(kind === 'cloud' ? [] : INSTALLATION), ...(kind === 'connected' ? [] : CLOUD)];
  const answers = await askAndTry(questions, (more) => {
    const { cobrowse, proxy } = readConfig({ ...environment, ...given, ...connected, ...more });
    return serviceCheck(createCobrowse(cobrowse, { proxy }));
  });
  return { ...connected, ...answers };
}

/** In the first kind of quotes that the value doesn't have. */
function envLine([name, value]: readonly [string, string]): string {
  const quote = ["'", '"', '`'].find((one) => !value.includes(one)) ?? '';
  return `${name}=${quote}${value}${quote}`;
}

/** Writes the answers to `.env`, which must not be there, and tries them with the environment. @returns whether to start now */
export async function askForSettings(environment: NodeJS.ProcessEnv): Promise<boolean> {
  // Somebody has set it up in another way.
  if (['SLACK_BOT_TOKEN', 'SLACK_CLIENT_ID'].some((name) => environment[name] !== undefined)) return true;
  try {
    intro('Co-browse for Slack has no settings yet. A few questions; each answer is tried, Ctrl+C stops.');
    const given = { SECRET_KEYS: randomBytes(32).toString('hex'), ...(await askAboutSlack(environment)) };
    const settings: Settings = { ...given, ...(await askAboutService(environment, given)) };
    const lines = Object.entries(settings).map(envLine);
    await writeFile('.env', `${lines.join('\n')}\n`, { flag: 'wx', mode: 0o600 });
    log.success('Written to .env, which only you can read.');
    if (settings['PUBLIC_URL'] !== undefined) {
      const { HOST = '127.0.0.1', PORT = '3000' } = environment;
      log.step(
        `Lead ${settings['PUBLIC_URL']} to ${HOST}:${PORT}, where the app listens: docs/deploy.md, "A proxy".`,
      );
      log.step(
        `Then let Slack verify the address of events, which it couldn’t before: Retry under Event Subscriptions, ${APP_PAGE}.`,
      );
    }
    outro('Invite the app where summaries should go: /invite @Co-browse');
    return true;
  } catch (error) {
    if (!(error instanceof CalledOffError)) throw error;
    cancel('Stopped. No settings were written.');
    return false;
  }
}
