import type { Viewer } from '../commands/rights.ts';
import { RETRY_ANSWERS, troubleWords } from '../messages/delivery-words.ts';
import { buttons, lines, notice, type Part } from '../messages/message.ts';
import { bold, channel, count, date, say, short, user, type Line } from '../messages/text.ts';
import type { Oldest, TroubledDelivery } from '../outbox/overview.ts';
import type { EntryOf } from '../outbox/retry-and-drop.ts';
import type { App } from '../parts.ts';
import { isPerson } from '../permissions/permissions.ts';
import { acting, forAdmins, retryAndDiscard, together } from './home-buttons.ts';

const RETRY = 'home_retry_delivery';
const DROP = 'home_drop_delivery';
/** The others come up as these are retried or discarded. */
const MOST_LISTED = 10;

/** Why, and what to do; first, that it isn't lost. */
function troubleLine({ trouble, failedAt, about, isWithAgent }: TroubledDelivery): Line {
  const words = troubleWords(trouble, failedAt !== undefined);
  return about && isWithAgent ? say`${user(about.userId)} got the summary as a message. ${words}` : words;
}

/** @param visitor their name; undefined for a digest */
function stateLine(entry: TroubledDelivery, place: Line, visitor: string | undefined): Line {
  const { about, isWithAgent } = entry;
  const session =
    about && visitor !== undefined
      ? say`${bold(short(visitor))}’s session with ${user(about.userId)}, `
      : 'a message ';
  const what = say`${session}${place} · `;
  if (entry.failedAt !== undefined)
    return say`${!isWithAgent && bold('Couldn’t deliver: ')}${what}${date(new Date(entry.failedAt))}`;
  const tried = count(entry.attempts, 'time');
  const [since, nextAt] = [entry.acceptedAt, entry.nextAt].map((at) => date(new Date(at)));
  return say`${bold('Waiting: ')}${what}Tried ${tried} · Since: ${since} · Next try: ${nextAt}`;
}

function waitingLine(waiting: number, oldest: Oldest | undefined, isInTrouble: boolean): Line {
  if (waiting === 0) return [isInTrouble ? 'No summaries are waiting.' : 'All summaries delivered.'];
  const howMany = bold(`${count(waiting, 'summary', 'summaries')} waiting`);
  return say`${howMany}.${oldest && say` Oldest: ${date(new Date(oldest.since))}.`}${
    oldest?.isInTurn === true && ' Slack takes about one a second in each channel, so they go out in turn.'
  }`;
}

export interface DeliverySources {
  readonly canSee: (viewer: Viewer, channelId: string) => Promise<boolean>;
  /** A visitor's name; undefined if it can't be looked up. Never rejects. */
  readonly nameOf: (workspaceId: string, visitorId: string) => Promise<string | undefined>;
}

type DeliveryParts = Pick<App, 'prepare'> & {
  readonly outbox: Pick<App['outbox'], 'retryAndDrop'> & {
    readonly overview: Pick<App['outbox']['overview'], 'list' | 'waiting' | 'oldest'>;
  };
};

async function placeOf({ canSee }: DeliverySources, viewer: Viewer, to: string): Promise<Line> {
  if (isPerson(to)) return say`for a direct message to ${user(to)}`;
  return (await canSee(viewer, to)) ? say`for ${channel(to)}` : ['for a private channel that you aren’t in'];
}

async function readSection(app: DeliveryParts, sources: DeliverySources, viewer: Viewer) {
  const { workspaceId } = viewer;
  const { overview } = app.outbox;
  const { entries, more } = await overview.list(workspaceId, MOST_LISTED);
  const visitorIds = new Set(entries.flatMap(({ about }) => about?.visitorId ?? []));
  const names = new Map(Array.from(visitorIds, (id) => [id, sources.nameOf(workspaceId, id)] as const));
  const [shown, waiting, oldest] = await Promise.all([
    Promise.all(
      entries.map(async (entry, index): Promise<readonly Part[]> => {
        const number = index + 1;
        const id = entry.about?.visitorId;
        const visitor = id && ((await names.get(id)) ?? `visitor ${id}`);
        const place = await placeOf(sources, viewer, entry.to);
        return [
          lines([`${number}. `, ...stateLine(entry, place, visitor)], troubleLine(entry)),
          buttons(...retryAndDiscard('summary', number, entry.id, [RETRY, DROP], 'posted')),
        ];
      }),
    ),
    overview.waiting(workspaceId),
    overview.oldest(workspaceId),
  ]);
  const isInTrouble = entries.length > 0;
  return [
    lines(['Only workspace admins see this.'], waitingLine(waiting, oldest, isInTrouble)),
    ...shown.flat(),
    ...(more > 0 ? [lines([`And ${more.toLocaleString('en-US')} more.`])] : []),
  ];
}

export function createAdminDeliveries(app: DeliveryParts, sources: DeliverySources) {
  const { retryAndDrop } = app.outbox;
  const changing = (actionId: string, act: 'retry' | 'drop') =>
    acting(
      actionId,
      'Summaries',
      (id) => forAdmins(act, { delivery: id }),
      async ({ workspaceId, userId }, id) => {
        const detail = { act, delivery: id };
        const entryOf: EntryOf = (outcome) =>
          app.prepare({ workspaceId, userId, action: 'delivery', outcome, detail });
        const answer =
          act === 'retry'
            ? await retryAndDrop.retry(workspaceId, id, entryOf)
            : await retryAndDrop.drop(workspaceId, id, userId, entryOf);
        return notice([RETRY_ANSWERS[answer]]);
      },
    );

  return {
    of: (viewer: Viewer) => readSection(app, sources, viewer),
    surface: together(changing(RETRY, 'retry'), changing(DROP, 'drop')),
  };
}
