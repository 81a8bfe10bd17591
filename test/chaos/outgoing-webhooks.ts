import { createHmac } from 'node:crypto';
import { z } from 'zod';
import type { PageView } from '../../sandbox/slack/page-api.ts';
import { sql } from '../../src/database/database.ts';
import { WEBHOOK_EVENTS } from '../../src/webhooks/bodies.ts';
import { buttonsIn } from '../support/person.ts';
import { atWebhooks, secretIn } from '../webhooks/home-stage.ts';
import { ReadBody } from '../webhooks/read-body.ts';
import { readStore } from './records.ts';
import { ADMIN, type Stage } from './stage.ts';
import type { Told } from './told.ts';
import type { Arrived, WebhookTry } from './webhook-receiver.ts';

const ATTEMPTS = 5;
const LOOK_FOR_MS = 10_000;

/** Adds the receiver's address in Home, as an admin, before anything goes wrong. @returns the secret that is shown */
export function addWebhook({ slack, time, receiver, workspaceId }: Stage): Promise<string> {
  const webhooks = atWebhooks({ slack });

  /** Beside other work Slack may answer too late, and then nothing opens. */
  async function openForm(attempts = ATTEMPTS): Promise<PageView> {
    try {
      await slack.openHome({ as: ADMIN });
      await slack.until(ADMIN, ({ home }) =>
        buttonsIn(home?.view?.blocks ?? []).some(({ text }) => text.text === 'Webhooks'),
      );
      await webhooks.ada.press(/^Webhooks/);
      const menu = await slack.until(
        ADMIN,
        ({ views }) =>
          views.find(({ blocks }) => buttonsIn(blocks).some(({ text }) => text.text === 'Add an address')),
        LOOK_FOR_MS,
      );
      await webhooks.person.pressInModal(menu, /^Add an address/);
      return await slack.until(
        ADMIN,
        ({ views }) => views.find(({ submit }) => submit !== undefined),
        LOOK_FOR_MS,
      );
    } catch (error) {
      if (attempts <= 1) throw error;
      await webhooks.closeAll();
      return openForm(attempts - 1);
    }
  }

  return time.slowly(async () => {
    await webhooks.submit(await openForm(), {
      address: receiver.addressFor(workspaceId),
      events: WEBHOOK_EVENTS,
    });
    const secret = secretIn(await webhooks.saying(/Signing secret/));
    await webhooks.closeAll();
    return secret;
  });
}

const Unsettled = z.object({ count: z.number() });

/** How many webhooks of the workspace aren't settled yet. */
export async function countWebhooksWaiting(stage: Stage): Promise<number> {
  const [row] = await readStore(
    stage,
    sql`SELECT COUNT(*) AS count FROM webhook_messages
      WHERE workspace_id = ${stage.workspaceId} AND settled_at IS NULL`,
    Unsettled,
  );
  return row?.count ?? 0;
}

const SetAside = z
  .object({
    state: z.string(),
    reason: z.string().nullable(),
    payload: z
      .string()
      .transform((json): unknown => JSON.parse(json))
      .pipe(z.looseObject({ body: z.string() })),
  })
  .transform(({ state, reason, payload: { body } }) => ({ state, reason: reason ?? 'no reason', body }));
export type SetAsideWebhook = z.output<typeof SetAside>;

/** The webhooks that the app has given up, and why. */
export const webhooksSetAside = (stage: Stage): Promise<readonly SetAsideWebhook[]> =>
  readStore(
    stage,
    sql`SELECT state, reason, payload FROM webhook_messages
      WHERE workspace_id = ${stage.workspaceId} AND state IN ('failed', 'skipped')`,
    SetAside,
  );

/** All there is to judge a workspace's webhooks by. */
export interface WebhookEvidence {
  readonly workspaceId: string;
  readonly secret: string;
  readonly arrived: readonly Arrived[];
  readonly setAside: readonly SetAsideWebhook[];
  /** All watch links of the run. */
  readonly links: readonly string[];
}

/** The events of a run are told apart by it. */
const eventOf = ({ type, data }: ReadBody): string => [type, data.link_id, data.session_id].join(' ');

const bodyIn = (text: string) => ReadBody.safeParse(JSON.parse(text)).data;

function isSigned({ id, timestamp, body, signature }: WebhookTry, secret: string): boolean {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return signature === `v1,${expected}`;
}

/**
 * Whether each event of the sessions arrived, in its order, from the app, and the same at each try. An event that the app has
 * given up and says why counts as one that is through.
 *
 * @param promised the sessions whose ends the app knows
 * @param linked those whose agent was given a link
 * @returns how many tries were taken and refused, and how many events given up, by reason
 */
export function judgeWebhooks(
  { workspaceId, secret, arrived, setAside, links }: WebhookEvidence,
  { promised, linked }: { readonly promised: readonly Told[]; readonly linked: readonly Told[] },
  complain: (words: string) => void,
): ReadonlyMap<string, number> {
  const tokens = links.map((link) => link.split('/').at(-1) ?? link);
  const events = arrived.flatMap((one, at) => {
    const body = bodyIn(one.body);
    if (body === undefined) complain(`a body isn't as its schema says: ${one.body}`);
    else if (body.data.workspace_id !== workspaceId)
      complain(`the event ${eventOf(body)} of another workspace came to ${workspaceId}`);
    if (!isSigned(one, secret)) complain(`the signature of ${one.id} isn't by the secret`);
    if (tokens.some((token) => one.body.includes(token))) complain(`the body of ${one.id} has a watch link`);
    return body === undefined ? [] : [{ ...one, at, body, event: eventOf(body) }];
  });
  const givenUp = setAside.flatMap(({ state, reason, body: text }) => {
    const body = bodyIn(text);
    if (state === 'skipped') complain(`an event was skipped (${reason}): ${text}`);
    return body === undefined || state === 'skipped' ? [] : [{ body, event: eventOf(body), reason }];
  });
  const isGivenUp = (event: string) => givenUp.some((one) => one.event === event);

  for (const [event, tries] of Map.groupBy(events, (one) => one.event)) {
    const ids = new Set(tries.map(({ id }) => id));
    if (ids.size > 1) complain(`the event ${event} has ${ids.size} ids: ${[...ids].join(', ')}`);
    if (new Set(tries.map(({ body }) => JSON.stringify(body))).size > 1)
      complain(`the event ${event} has another body at another try`);
    if (!tries.some(({ isTaken }) => isTaken) && !isGivenUp(event))
      complain(`the event ${event} was refused, and didn't come again`);
  }

  const through = [...events.filter(({ isTaken }) => isTaken), ...givenUp];
  for (const { fate, sessionId } of promised)
    if (!through.some(({ body }) => body.type === 'session.ended' && body.data.session_id === sessionId))
      complain(`the end of session ${fate.number} (${sessionId}) didn't arrive`);
  for (const { fate, sessionId } of linked)
    if (
      !through.some(
        ({ body }) => body.type === 'watch_link.opened' && body.data.customer?.id === fate.visitorId,
      )
    )
      complain(`the link of session ${fate.number} (${sessionId}) didn't arrive`);

  // Where a session ends before its link went out, the app hears of the end first.
  const ownOrder = new Set(
    linked.flatMap(({ fate, sessionId }) => (fate.endsBeforeRedirect ? [] : [sessionId])),
  );
  for (const { body, event, at } of events) {
    if (body.type !== 'session.ended' || !ownOrder.has(body.data.session_id ?? '')) continue;
    const { link_id: linkId } = body.data;
    const isBefore = (one: { readonly body: ReadBody; readonly at?: number }) =>
      one.body.type === 'watch_link.opened' && one.body.data.link_id === linkId && (one.at ?? 0) < at;
    if (!through.some(isBefore)) complain(`the event ${event} came before its link was taken`);
  }
  const counted = [
    ...arrived.map(({ isTaken }) => (isTaken ? 'taken' : 'refused')),
    ...givenUp.map(({ reason }) => `given up (${reason})`),
  ];
  return new Map(
    Array.from(
      Map.groupBy(counted, (name) => name),
      ([name, all]) => [name, all.length],
    ),
  );
}
