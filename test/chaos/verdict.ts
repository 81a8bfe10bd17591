import { z } from 'zod';
import { openDatabase } from '../../src/database/open.ts';
import { sql } from '../../src/database/sql.ts';
import { CHANNELS, USERS } from './stage.ts';
import type { Stage } from './stage.ts';
import type { Told } from './told.ts';

const Page = z.object({
  ok: z.literal(true),
  messages: z.array(
    z.looseObject({
      ts: z.string(),
      reply_count: z.number().default(0),
      metadata: z
        .looseObject({ event_payload: z.looseObject({ delivery: z.string().optional() }) })
        .optional(),
    }),
  ),
  response_metadata: z.object({ next_cursor: z.string() }),
});
type Page = z.infer<typeof Page>;

type Call = Stage['call'];

async function allPages(call: Call, method: string, args: object): Promise<Page['messages']> {
  const messages: Page['messages'] = [];
  let cursor = '';
  do {
    const page = Page.parse(await call(method, { ...args, include_all_metadata: true, limit: 999, cursor }));
    messages.push(...page.messages);
    cursor = page.response_metadata.next_cursor;
  } while (cursor !== '');
  return messages;
}

const Delivery = z.object({ id: z.string(), state: z.string(), reason: z.string().nullable() });

const count = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);

/** How often each delivery stands in Slack, by the id in its metadata. */
async function countPosts(call: Call): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  const countIn = (messages: Page['messages']) => {
    for (const { metadata } of messages) {
      const id = metadata?.event_payload.delivery;
      if (id !== undefined) count(counts, id);
    }
  };
  const places = [...CHANNELS, ...USERS.map((id) => `D${id.slice(1)}`)];
  for (const channel of places) {
    const said = await allPages(call, 'conversations.history', { channel });
    countIn(said);
    for (const { ts, reply_count: replies } of said) {
      if (replies > 0) countIn((await allPages(call, 'conversations.replies', { channel, ts })).slice(1));
    }
  }
  return counts;
}

export interface Verdict {
  readonly posted: number;
  /** Never posted, and the ledger says why. */
  readonly inLedger: ReadonlyMap<string, number>;
  /** Of a link that the app was killed with before it could write it down: nobody was given it. */
  readonly neverHandedOut: number;
  /** What must not be. */
  readonly broken: readonly string[];
}

/** Whether the session's link was handed out, and so is on disk: then its end is found where nobody tells of it. */
export const mustBeFound = ({ fate, acknowledged }: Told) => !acknowledged && !fate.endsBeforeRedirect;

/** Looks at every ended session when all has come to its rest. */
export async function judge(stage: Stage, ended: readonly Told[]): Promise<Verdict> {
  const counts = await countPosts(stage.call);
  const database = await openDatabase(`sqlite:${stage.storePath}`);
  const inLedger = new Map<string, number>();
  const broken: string[] = [];
  /** The deliveries of a session to its own place, and of the word that it came to nothing. */
  const deliveriesOf = (sessionId: string, kind: 'summary' | 'notice') =>
    database.read(
      sql`SELECT d.id, d.state, d.reason FROM deliveries AS d JOIN session_ends AS e ON e.id = d.session_end_id
        WHERE e.session_id = ${sessionId} AND d.kind = ${kind} AND d.subscriptions IS NULL`,
      Delivery,
    );
  let [posted, neverHandedOut] = [0, 0];
  for (const told of ended) {
    const summaries = await deliveriesOf(told.sessionId, 'summary');
    const times = summaries.reduce((sum, { id }) => sum + (counts.get(id) ?? 0), 0);
    if (times > 0) posted += 1;
    if (times > 1) broken.push(`${nameOf(told)} has its summary ${times} times`);
    if (times > 0) continue;
    const failed = summaries.find(({ state }) => state === 'failed');
    if (failed !== undefined) {
      count(inLedger, failed.reason ?? 'no reason');
      // A summary that went to its agent has nobody else to go to; word of another may be refused, too.
      const notices = await deliveriesOf(told.sessionId, 'notice');
      const isTold =
        told.fate.channelId === undefined ||
        notices.some(({ id, state }) => counts.has(id) || state === 'failed');
      if (!isTold) broken.push(`${nameOf(told)} failed, and its agent was not told`);
    } else if (told.acknowledged || mustBeFound(told))
      broken.push(`${nameOf(told)} has no summary, and no reason in the ledger`);
    else neverHandedOut += 1;
  }
  await database.close();
  return { posted, inLedger, neverHandedOut, broken };
}

const nameOf = ({ fate, sessionId }: Told) =>
  `session ${fate.number} (${sessionId}, ${fate.channelId ?? fate.userId})`;
