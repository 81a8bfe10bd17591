import { setTimeout as pause } from 'node:timers/promises';
import { channelOf, summaryOf, tellOf, twenty } from '../outbox/many-channels.ts';
import { watchAsBrowser, type RealWorld } from '../outbox/real-app.ts';
import { KIM, SAM, buttonsIn, personIn } from '../../support/person.ts';

/** Not without a pause: the machine's cores are shared with the processes, and with other tests. */
const BETWEEN_MS = 100;

interface Replicas {
  readonly world: RealWorld;
  /** Those of the processes. */
  readonly ports: readonly number[];
  /** The balancer's. */
  readonly publicUrl: string;
  /** Resolves once the balancer sends requests to all of them. */
  readonly untilAlive: () => Promise<void>;
}

/** People and the service, who go on using the app. They reject as soon as they're let down. */
function startTraffic({ world, publicUrl }: Replicas) {
  const over = new AbortController();
  const told: string[] = [];
  const seen = new Map<string, number>();
  const see = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1);

  async function again(work: (index: number) => Promise<unknown>): Promise<void> {
    for (let index = 0; !over.signal.aborted; index += 1) {
      await work(index);
      await pause(BETWEEN_MS);
    }
  }
  async function webhook(index: number): Promise<void> {
    const id = `session-${index}`;
    const channelId = channelOf(twenty[index % twenty.length] ?? '');
    const status = await tellOf({ publicUrl }, id, { channelId });
    see(`webhook ${status}`);
    if (status === 200) told.push(id);
  }
  const sam = personIn(world, SAM);
  async function press(): Promise<void> {
    const offer = await sam.type('/cobrowse watch jane4821');
    // On a busy machine the app may know of a press only once its page gave up, and then offers the link in a message.
    if (offer.text.includes('opened your Watch link')) return;
    if (buttonsIn(offer.blocks).length === 0) return void see(offer.text);
    const opened = await watchAsBrowser(sam, offer);
    const isQuestion = (await opened.text()).includes('Open it again?');
    // Only a page that has its press asks.
    see(isQuestion ? 'page with a press' : `page ${opened.status}`);
  }
  const kim = personIn(world, KIM);
  async function find(): Promise<void> {
    const { text } = await kim.type('/cobrowse find noah');
    see(text.includes('Noah') ? 'found' : text);
    see(`page ${(await fetch(`${publicUrl}/watch/nonsense`)).status}`);
  }
  const done = Promise.all([webhook, press, find].map(again));
  return { told, seen, done, stop: () => over.abort() };
}

/**
 * Starts the processes, and restarts one after the other under traffic.
 *
 * @returns how they ended, the sessions that were told of, and how often people and the service saw what
 */
export async function restartUnderTraffic(replicas: Replicas) {
  const { world, ports, publicUrl, untilAlive } = replicas;
  world.slack.setRequestUrl(`${publicUrl}/slack/events`);
  const start = async (port: number) => (await world.startBeside({ port })).app;
  const apps = await Promise.all(ports.map(async (port) => ({ port, app: await start(port) })));
  await untilAlive();
  const { told, seen, done, stop } = startTraffic(replicas);
  const codes: (number | null)[] = [];
  async function restartAll(): Promise<void> {
    for (const { port, app } of apps) {
      app.askToStop();
      codes.push(await app.ended());
      await start(port);
      await untilAlive();
    }
  }
  await Promise.race([restartAll(), done]);
  stop();
  await done;
  for (const id of told) await summaryOf(world, id);
  return { codes, told, seen };
}

/** What is seen where no request fails. The first page leads to the link, those with nonsense for a ticket are 404. */
export const ALL_WELL = ['found', 'page 302', 'page 404', 'page with a press', 'webhook 200'];
