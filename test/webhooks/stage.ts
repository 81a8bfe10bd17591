import { expect, onTestFinished } from 'vitest';
import { z } from 'zod';
import type { PreparedEntry } from '../../src/audit/audit.ts';
import { sql, type Database } from '../../src/database/database.ts';
import type { IssuedLink } from '../../src/messages/link-request.ts';
import type { Outbox } from '../../src/outbox/outbox.ts';
import { createMatches } from '../../src/subscriptions/subscribers.ts';
import type { Filters } from '../../src/subscriptions/subscription.ts';
import { createWebhookAddresses } from '../../src/webhooks/addresses.ts';
import type { WebhookReply, WebhookRequest } from '../../src/webhooks/send.ts';
import { createWebhookSecret } from '../../src/webhooks/sign.ts';
import { createWebhookNoticeKind } from '../../src/webhooks/attempt.ts';
import { createWebhookQueue } from '../../src/webhooks/queue.ts';
import { createWebhookSending } from '../../src/webhooks/sending.ts';
import { createDataKeys } from '../../src/workspaces/data-keys.ts';
import { createInstalls } from '../../src/workspaces/installs.ts';
import { auditOf } from '../audit/unheard.ts';
import { START, openStage } from '../outbox/stage.ts';
import { alexInSupport } from '../sessions/ended-session.ts';
import { SEALING_KEY } from '../support/settings.ts';
import { ReadBody } from './read-body.ts';

/** An admin. */
const installedAs = async () => ({ workspaceId: WORKSPACE, botId: undefined, botUserId: undefined });

export const ADA = 'U0ADA000005';
export const WORKSPACE = alexInSupport.workspaceId;
/** Which sessions: all of them. */
export const ALL: Filters = { agents: [], groups: [], tags: [] };
const EVENTS = ['watch_link.opened', 'session.ended', 'session.outcome_changed'];
const now = () => Date.now();

/** A message that an address was sent. */
export interface Sent {
  readonly id: string;
  readonly host: string;
  readonly body: ReadBody;
  readonly text: string;
  /** "ended a": the event, and its session or else its link. */
  readonly what: string;
  /** Milliseconds since the test's start. */
  readonly at: number;
  readonly by: string;
}

/** @param times how often that message was sent before */
export type Reply = (sent: Sent, times: number) => WebhookReply | Promise<WebhookReply>;

export const status = (code: number, retryAfterMs?: number): WebhookReply => ({
  is: 'answered',
  status: code,
  retryAfterMs,
  text: '',
});
export const taken = status(204);
export const down = status(503);

const whatIn = ({ type, data }: ReadBody) => `${type.split('.')[1]} ${data.session_id ?? data.link_id}`;

const Row = z.object({
  id: z.string(),
  state: z.string(),
  reason: z.string().nullable(),
  payload: z.string().nullable(),
});

interface ProcessOptions {
  readonly name?: string;
  readonly reply?: Reply;
  /** A visitor's tags. */
  readonly tagsOf?: () => Promise<readonly string[]>;
  /** A visitor's first identity. */
  readonly nameOf?: () => Promise<string>;
}

function addressesOver(database: Database) {
  const installs = createInstalls({ database, dataKeys: createDataKeys([SEALING_KEY]), now });
  return createWebhookAddresses({ ...installs, database, now });
}

/** Tables on the test's clock, with addresses whose programs answer as the test says. */
export async function openWebhookStage(storeUrl: string) {
  const stage = await openStage({ url: storeUrl });
  const sent: Sent[] = [];
  /** Why, of each that the log and metrics hear of. */
  const failed: string[] = [];
  /** How many are under way to each host, and how many there were at most. */
  const underWay = new Map<string, number>();
  let most = 0;
  /** An answer that a test never gives comes when it ends. */
  const isOver = Promise.withResolvers<WebhookReply>();
  const { prepare } = auditOf(stage.database);
  const by = { workspaceId: WORKSPACE, userId: ADA };
  const entry = (): PreparedEntry => prepare({ ...by, action: 'setting', outcome: 'done' });
  const addresses = addressesOver(stage.database);

  /** @returns its id */
  async function add(
    host: string,
    choices: { filters?: Filters; hasNames?: boolean; events?: string[] } = {},
  ) {
    const [url, secret] = [new URL(`https://${host}/hook`), createWebhookSecret()];
    const usual = { filters: ALL, hasNames: false, events: EVENTS };
    const id = await addresses.add(by, { url, secret, ...usual, ...choices }, entry());
    if (id === undefined) throw new Error('There are too many.');
    return id;
  }

  async function start({ name = '', reply = () => taken, ...given }: ProcessOptions = {}) {
    async function send({ url, id, body: text }: WebhookRequest): Promise<WebhookReply> {
      const { host } = new URL(url);
      const body = ReadBody.parse(JSON.parse(text));
      const times = sent.filter((one) => one.id === id && one.host === host).length;
      const one = { id, host, body, text, what: whatIn(body), at: now() - START, by: name };
      sent.push(one);
      underWay.set(host, (underWay.get(host) ?? 0) + 1);
      most = Math.max(most, underWay.get(host) ?? 0);
      try {
        return await Promise.race([reply(one, times), isOver.promise]);
      } finally {
        underWay.set(host, (underWay.get(host) ?? 0) - 1);
      }
    }

    function makeWebhooks(database: Database, outbox: Outbox) {
      const own = addressesOver(database);
      outbox.register(createWebhookNoticeKind(own, now));
      const sending = createWebhookSending({
        database,
        addresses: own,
        send,
        matches: createMatches(async () => true, given.tagsOf ?? (async () => [])),
        nameOf: async () => given.nameOf?.(),
        newId: outbox.newId,
        wakeSlack: outbox.wakeAll,
        singleProcess: true,
        now,
        report: (outcome, { id }, { reason, error }) => {
          if (outcome === 'broken') expect.fail(`${id}: ${String(error)}`);
          if (outcome === 'failed') failed.push(`${reason}`);
        },
      });
      const { wake } = sending;
      const events = createWebhookQueue({ database, installedAs }, own, wake);
      return { ...sending, events };
    }
    const made: ReturnType<typeof makeWebhooks>[] = [];
    const process = await stage.start({
      name,
      events: (outbox, database) => {
        const webhooks = makeWebhooks(database, outbox);
        made.push(webhooks);
        return webhooks.events;
      },
    });
    const [webhooks] = made;
    if (webhooks === undefined) throw new Error('Nothing was made.');
    await webhooks.start();
    onTestFinished(() => {
      isOver.resolve(taken);
      return webhooks.stop();
    });
    return {
      ...process,
      webhooks,
      /** A session ends now. */
      tell: (session: string, changes: Partial<IssuedLink> = {}, fields = {}) =>
        process.tell(session, changes, { ended_at: new Date(now()).toISOString(), ...fields }),
      /** A watch link goes out. */
      open: async (linkId: string, changes: Partial<IssuedLink> = {}): Promise<void> => {
        const link = { ...alexInSupport, ...changes, linkId };
        const queued = await webhooks.events.opened({ link, agentId: 'agent_alex', issuedAt: now() });
        if (queued.statements.length > 0) await process.database.write(...queued.statements);
        queued.accepted();
      },
    };
  }

  return {
    ...stage,
    addresses,
    add,
    entry,
    start,
    sent,
    failed,
    most: () => most,
    /** What was sent, in order. */
    order: () => sent.map(({ what }) => what),
    rows: () =>
      stage.database.read(
        sql`SELECT id, state, reason, payload FROM webhook_messages ORDER BY queued_at, number, link_id, id`,
        Row,
      ),
  };
}
