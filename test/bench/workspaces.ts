import { setTimeout as wait } from 'node:timers/promises';
import { createAudit } from '../../src/audit/audit.ts';
import { openDatabase } from '../../src/database/open.ts';
import { createDataKeys, Secret } from '../../src/workspaces/data-keys.ts';
import { createInstalls } from '../../src/workspaces/installs.ts';
import { createServiceAccounts } from '../../src/workspaces/service-accounts.ts';
import { unheard } from '../audit/unheard.ts';
import { anInstall } from '../workspaces/an-install.ts';
import { ANSWERS, POSTS, awaitAsked } from './asked.ts';
import type { Measured } from './child.ts';
import type { LoadRequest } from './load-job.ts';
import { sectionOf } from './report.ts';
import { each, inTurns } from './rounds.ts';
import { signedCommands } from './slack-requests.ts';
import { APP, SECRET_KEY, type Surroundings } from './surroundings.ts';
import { linksIn } from './tickets.ts';
import { webhookOf } from './webhook-request.ts';

const MANY = 10_000;
const ACTIVE = 1_000;
const SIDES = ['one', 'many'] as const;
const SCRAPES = 200;
const IDLE_MS = 5_000;
/** What is known of a workspace is read again after five seconds: with so many, each time that somebody there acts. */
const FORGOTTEN_MS = 6_000;
/** The settings of an app for many workspaces. */
export const OAUTH = { SLACK_BOT_TOKEN: '', SLACK_CLIENT_ID: '1.2', SLACK_CLIENT_SECRET: 'bench' };

export const idsOf = (count: number) =>
  Array.from({ length: count }, (_, index) => `T${String(index).padStart(9, '0')}`);

/** @param service the address of an account, where each has connected one of its own */
export async function installIn(url: string, count: number, service?: string): Promise<void> {
  const database = await openDatabase(url);
  const installs = createInstalls({ database, dataKeys: createDataKeys([SECRET_KEY]), now: Date.now });
  const report = { ...unheard, entry: () => undefined };
  const { prepare } = createAudit({ database, now: Date.now, keptDays: 1, secret: '', report });
  const accounts = createServiceAccounts({ database, installs, prepare, now: Date.now });
  async function install(workspaceId: string): Promise<void> {
    await installs.record(anInstall(workspaceId));
    if (service === undefined) return;
    const account = { kind: 'cloud', address: service, connected: false, cloud: undefined } as const;
    await accounts.change({ workspaceId, userId: 'U2' }, { ...account, key: new Secret('bench-key') }, 0);
  }
  const ids = idsOf(count);
  for (let from = 0; from < count; from += 500) await Promise.all(ids.slice(from, from + 500).map(install));
  await database.close();
}

/** Workspaces that have installed the app, and are idle. */
async function benchIdle({ rounds, measuring }: Surroundings): Promise<string> {
  const samples = await inTurns(SIDES, rounds, (side) =>
    measuring(
      APP,
      async (measured) => {
        const before = await measured.usage();
        await wait(IDLE_MS);
        const { rssKib, cpuUs } = await measured.usage();
        return { startMs: measured.startMs, rssMib: rssKib / 1_024, idleUs: cpuUs - before.cpuUs };
      },
      {
        fill: (url) => installIn(url, side === 'one' ? 1 : MANY),
        settings: { ...OAUTH, ALLOWED_WORKSPACES: 'T000000000' },
      },
    ),
  );
  return sectionOf({
    title: 'G12. Many workspaces',
    sides: [
      ['one', 'one workspace'],
      ['many', `${MANY.toLocaleString('en-US')} workspaces`],
    ],
    figures: [
      {
        what: 'start to listening',
        unit: 'ms',
        samples: each(samples, ({ startMs }) => startMs),
        times: { one: { atMost: 1.2 } },
      },
      {
        what: 'memory, idle',
        unit: 'MiB',
        samples: each(samples, ({ rssMib }) => rssMib),
        times: { one: { atMost: 1.8 } },
      },
      {
        what: 'CPU, idle',
        unit: 'us',
        samples: each(samples, ({ idleUs }) => idleUs),
        times: { one: { atMost: 2 } },
      },
    ],
    how: `All installed, none active, for ${IDLE_MS / 1_000} seconds after it listens.`,
  });
}

/** Processor time of what as many people do, and of as many sessions that end, all in one workspace or each in its own. */
async function actIn(
  { loader, upstream }: Surroundings,
  measured: Measured,
  workspaceIds: readonly string[],
): Promise<{ readonly commandUs: number; readonly webhookUs: number; readonly scrapeUs: number }> {
  async function put(requests: readonly LoadRequest[], asks: string, from = 0): Promise<number> {
    const total = requests.length;
    const load = { requests: [...requests], total, atOnce: 16, status: 200, from };
    return (await loader.put(load, measured, await awaitAsked(upstream, asks, total))).cpuUs;
  }
  // Where only the app is beside each: otherwise Slack is asked who else is in the channel.
  const places = workspaceIds.map((workspaceId, index) => ({ workspaceId, channelId: `D0ACTIVE${index}` }));
  const commands = () => put(signedCommands('jane', upstream.origin + ANSWERS, places), ANSWERS);
  function webhooks(name: string, from: number): Promise<number> {
    const channels = workspaceIds.map((_, index) => `C0ACTIVE${name}${index}`);
    const links = linksIn(channels, ACTIVE, name, workspaceIds);
    return put(links.map(webhookOf), POSTS, from);
  }
  await commands();
  await webhooks('FIRST', 0);
  await wait(FORGOTTEN_MS);
  const commandUs = await commands();
  await wait(FORGOTTEN_MS);
  const webhookUs = await webhooks('SECOND', ACTIVE);
  const scrape = { method: 'GET' as const, path: '/metrics', headers: {}, body: null };
  const scrapes = { requests: [scrape], total: SCRAPES, atOnce: 1, status: 200 };
  return { commandUs, webhookUs, scrapeUs: (await loader.put(scrapes, measured)).cpuUs };
}

/** As many acts in one workspace and spread over many, each with an account of its own. */
async function benchActive(around: Surroundings): Promise<string> {
  const { rounds, measuring, upstream } = around;
  const all = idsOf(ACTIVE);
  const samples = await inTurns(SIDES, rounds, (side) =>
    measuring(
      APP,
      (measured) => actIn(around, measured, side === 'one' ? all.map(() => 'T000000000') : all),
      {
        fill: (url) => installIn(url, side === 'one' ? 1 : ACTIVE, upstream.origin),
        settings: {
          ...OAUTH,
          COBROWSE_API_KEY: '',
          COBROWSE_BASE_URL: '',
          COBROWSE_HOSTS: new URL(upstream.origin).host,
        },
      },
    ),
  );
  const times = { one: { atMost: 1.1 } };
  return sectionOf({
    title: 'G12. Many workspaces at work',
    sides: [
      ['one', 'one workspace'],
      ['many', `${ACTIVE.toLocaleString('en-US')} workspaces`],
    ],
    figures: [
      {
        what: '`/cobrowse jane`, answered, CPU',
        unit: 'us',
        samples: each(samples, ({ commandUs }) => commandUs),
        times,
      },
      {
        what: 'a webhook, with its summary, CPU',
        unit: 'us',
        samples: each(samples, ({ webhookUs }) => webhookUs),
        times,
      },
      {
        what: '`/metrics`, CPU',
        unit: 'us',
        samples: each(samples, ({ scrapeUs }) => scrapeUs),
        times,
      },
    ],
    how: `${ACTIVE.toLocaleString('en-US')} people and as many sessions with channels of their own, all in one workspace or each in another, all with an account of the workspace's own. What the app knew of a workspace is ${FORGOTTEN_MS / 1_000} seconds old each time, so it's read again.`,
  });
}

export const benchWorkspaces = async (around: Surroundings): Promise<string> =>
  `${await benchIdle(around)}\n\n${await benchActive(around)}`;
