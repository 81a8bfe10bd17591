import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { startReceiver } from '../../../sandbox/receiver/receiver.ts';
import type { StandInService } from '../../../sandbox/service/service.ts';
import type { StandInSlack } from '../../../sandbox/slack/slack.ts';
import { createAudit } from '../../../src/audit/audit.ts';
import { openDatabase } from '../../../src/database/open.ts';
import { entriesIn } from '../../audit/entries.ts';
import { unheard } from '../../audit/unheard.ts';
import { openGate } from '../outbox/gate.ts';
import { SECRETS, openRealWorld, type RealApp } from '../outbox/real-app.ts';
import { remembering } from './driven.ts';
import { placeOf, type Place, type Secret } from './search.ts';

const LinkAnswer = z.object({ watch_url: z.string() });
const ProxyAnswer = z.object({ proxy_url: z.string() });
const LinkRequest = z.object({ webhook_url: z.string().optional() });

/** How the service gives its link: as it should, at an address that must be refused, or as bare text. */
export type LinkForm = 'good' | 'refused' | 'no-json';

/** A link as the app gets it, whose address has nothing in common with those of the app's own. */
const linkIn = (form: LinkForm, token: string): string =>
  `http${form === 'refused' ? '' : 's'}://live.cobrowse.example/go?key=${token}`;

export const named = (name: string, values: readonly string[]): Secret[] =>
  values.map((value, index) => ({ name: `${name} ${index}`, value }));

/** All that was sent to a Slack, an entry each. */
export const sentTo = ({ calls }: Pick<StandInSlack, 'calls'>): readonly Place[] =>
  calls.map(({ method, args }, index) => placeOf(`call ${index} to Slack, ${method}`, args));

/** The tickets of all Watch buttons that anyone in a Slack was shown. */
export function watchTickets({ calls }: Pick<StandInSlack, 'calls'>): readonly Secret[] {
  const sent = calls.map(({ args }) => JSON.stringify(args ?? null)).join('\n');
  return named(
    'Watch ticket',
    Array.from(sent.matchAll(/\/watch\/([\w-]{40,})/g), ([, ticket = '']) => ticket),
  );
}

/** The tickets of the addresses at which a service reports a session's end. */
export const sessionEndTickets = ({ requests }: Pick<StandInService, 'requests'>): readonly Secret[] =>
  named(
    'session-end ticket',
    requests.flatMap(({ path, body }) => {
      const request = path.endsWith('/watch_url') ? LinkRequest.safeParse(body).data : undefined;
      return request?.webhook_url?.split('/').slice(-1) ?? [];
    }),
  );

/** For an audit that is only read. */
const NOTHING_NEW = { now: Date.now, keptDays: 1, secret: 'none', report: unheard };

/**
 * The real app in a process of its own, all its lines kept, between a Slack and a service which remember what must
 * not be seen again: the service each link that it made, Slack each id that opens something.
 */
export async function openWatchedWorld({ socketMode = false, storeUrl = '' } = {}) {
  const tokens: string[] = [];
  const proxyTokens: string[] = [];
  const madeIds: string[] = [];
  const seen: Place[] = [];
  const link: { form: LinkForm } = { form: 'good' };

  function withOurLink(path: string, answer: string): string {
    if (path.endsWith('/proxy_sessions') && answer.includes('"proxy_url"')) {
      const token = ProxyAnswer.parse(JSON.parse(answer)).proxy_url.split('/').at(-1) ?? '';
      proxyTokens.push(token);
      return JSON.stringify({ status: 'ok', proxy_url: linkIn('good', token) });
    }
    if (!path.endsWith('/watch_url') || !answer.includes('"watch_url"')) return answer;
    const given = LinkAnswer.parse(JSON.parse(answer));
    const token = given.watch_url.split('/').at(-1) ?? '';
    tokens.push(token);
    // What is no JSON, and short, V8 shows as a whole in the message of its error.
    if (link.form === 'no-json') return `/go?key=${token}`;
    return JSON.stringify({ status: 'ok', watch_url: linkIn(link.form, token) });
  }

  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  const world = await openRealWorld({
    slack: {
      appToken: SECRETS.appToken,
      randomId() {
        const id = `made${crypto.randomUUID().replaceAll('-', '')}`;
        madeIds.push(id);
        return id;
      },
    },
    async settings({ service }) {
      const gate = await openGate(service.url, withOurLink);
      const base = {
        COBROWSE_BASE_URL: gate.url,
        WEBHOOK_HOSTS: new URL(receiver.url).host,
        ...(storeUrl !== '' && { STORE_URL: storeUrl }),
      };
      const socket = { SLACK_APP_TOKEN: SECRETS.appToken, SLACK_SIGNING_SECRET: '', PUBLIC_URL: '' };
      return socketMode ? { ...base, ...socket } : base;
    },
  });

  return {
    ...world,
    receiver,
    slack: remembering(world.slack),
    link,
    /** Notes a text that somebody outside could read, such as a page. */
    note: (name: string, content: string) => void seen.push(placeOf(name, content)),
    noted: (): readonly Place[] => seen,
    /** The service's own address of a link, as its page is opened. */
    pageOf: (address: string) =>
      `${world.service.url}/watch/${URL.parse(address)?.searchParams.get('key') ?? ''}`,
    links: () => named('watch link', tokens),
    proxyLinks: () => named('proxy link', proxyTokens),
    /** What opens something in Slack for a while: triggers, addresses to answer at. */
    slackIds: () => named('trigger or response address', madeIds),
    sessionEndTickets: () => sessionEndTickets(world.service),
    settings: () =>
      named('setting', [
        SECRETS.botToken,
        SECRETS.appToken,
        SECRETS.signingSecret,
        SECRETS.apiKey,
        ...SECRETS.secretKeys,
      ]),
    sentToSlack: () => sentTo(world.slack),
    /** The audit of the workspace, as the file of it would say it. */
    async audit(): Promise<Place & { readonly actions: readonly string[] }> {
      const database = await openDatabase(`sqlite:${world.folder}/store.db`);
      const audit = createAudit({ ...NOTHING_NEW, database });
      const records = await entriesIn(audit, 'T0ACME00000');
      await database.close();
      const actions = [...new Set(records.map(({ action }) => action))];
      return { ...placeOf('the audit', records), actions };
    },
    logOf: (app: RealApp): Place => placeOf('the log', app.output()),
    /** The files of the store as they are on the disk now. */
    async storeFiles(): Promise<readonly Place[]> {
      const names = await readdir(world.folder);
      return Promise.all(
        names.map(async (name) => ({
          name: `file ${name}`,
          content: await readFile(join(world.folder, name)),
        })),
      );
    },
  };
}
export type WatchedWorld = Awaited<ReturnType<typeof openWatchedWorld>>;
