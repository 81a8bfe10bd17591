import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Viewer } from '../commands/rights.ts';
import { definePress } from '../commands/command.ts';
import { RETRY_ANSWERS, troubleWords } from '../messages/delivery-words.ts';
import { button, buttons, lines, notice, type Message, type Part } from '../messages/message.ts';
import { bold, channel, code, count, date, say, short, user, type Line } from '../messages/text.ts';
import { LATE_AFTER_MS, type Oldest, type TroubledDelivery } from '../outbox/overview.ts';
import type { EntryOf } from '../outbox/retry-and-drop.ts';
import type { App } from '../parts.ts';
import { isPerson } from '../permissions/permissions.ts';
import { acting, forAdmins, retryAndDiscard, together } from './home-buttons.ts';

const DELIVERIES_ON_A_PAGE = 10;

/** Where it belongs; the channel's id only if the reader sees it. */
interface Place {
  readonly words: Line;
  readonly channelId?: string;
}

/** Why, and what to do; first, that it isn't lost. */
function troubleLine({ trouble, failedAt, about, isWithAgent }: TroubledDelivery, place: Place): Line {
  const words = troubleWords(trouble, failedAt !== undefined, 'admin');
  if (about === undefined || !isWithAgent) return words;
  const got = say`${user(about.userId)} got the summary as a message.`;
  const where = place.channelId === undefined ? 'that channel' : channel(place.channelId);
  // Whether it's in one that Slack doesn't show isn't known.
  return trouble.kind === 'not-in-channel' && trouble.code !== 'channel_not_found'
    ? say`I’m not in ${where}: ${got}`
    : say`${got} ${words}`;
}

/** @param visitor their name; undefined for a digest */
function stateLine(entry: TroubledDelivery, place: Place, visitor: string | undefined): Line {
  const { about, isWithAgent } = entry;
  const session =
    about && visitor !== undefined
      ? say`${bold(short(visitor))}’s session with ${user(about.userId)}, `
      : 'a message ';
  const what = say`${session}${place.words} · `;
  if (entry.failedAt !== undefined)
    return say`${!isWithAgent && bold('Couldn’t deliver: ')}${what}${date(new Date(entry.failedAt))}`;
  const tried = count(entry.attempts, 'time');
  const [since, nextAt] = [entry.acceptedAt, entry.nextAt].map((at) => date(new Date(at)));
  return say`${bold('Waiting: ')}${what}Tried ${tried} · Since: ${since} · Next try: ${nextAt}`;
}

const buttonsOf = ({ id, trouble, isWithAgent }: TroubledDelivery, { channelId }: Place, number: number) =>
  buttons(
    isWithAgent &&
      trouble.kind === 'not-in-channel' &&
      channelId !== undefined &&
      button({
        text: 'Invite me',
        actionId: 'home_invite_app',
        value: channelId,
        label: `Invite me to the channel of summary ${number}`,
      }),
    ...retryAndDiscard('summary', number, id, ['home_retry_delivery', 'home_drop_delivery'], 'posted'),
  );

function waitingLine(waiting: number, oldest: Oldest | undefined, isInTrouble: boolean, now: number): Line {
  if (waiting === 0) return [isInTrouble ? 'No summaries are waiting.' : 'All summaries delivered.'];
  const howMany = bold(`${count(waiting, 'summary', 'summaries')} waiting`);
  if (oldest === undefined) return [howMany];
  const why = oldest.isInTurn
    ? ' Slack accepts about one message a second per channel, so they go out in turn.'
    : ' That’s more than a minute ago: something is holding it up.';
  const isLate = now - oldest.since > LATE_AFTER_MS;
  return say`${howMany}. Oldest: ${date(new Date(oldest.since))}.${isLate && why}`;
}

const turnButton = (text: 'Previous' | 'Next', actionId: string, before: number) =>
  button({ text, actionId, value: String(before), label: `${text} summaries` });

/** How many come before and after a page, and the ways there. */
function turnParts(before: number, more: number): readonly Part[] {
  if (before === 0 && more === 0) return [];
  const [earlier, later] = [before, more].map((many) => many.toLocaleString('en-US'));
  const words = more === 0 ? `And ${earlier} before these.` : `And ${earlier} before these, ${later} after.`;
  return [
    lines([before === 0 ? `And ${later} more.` : words]),
    buttons(
      before > 0 && turnButton('Previous', 'home_previous_deliveries', before - DELIVERIES_ON_A_PAGE),
      more > 0 && turnButton('Next', 'home_next_deliveries', before + DELIVERIES_ON_A_PAGE),
    ),
  ];
}

/** Slack lets nobody but a person add an app to a channel. */
const howToInvite = (channelId: string): Message =>
  notice(say`In ${channel(channelId)}, type ${code('/invite @Co-browse')}.`, [
    'Then press Retry, and the summary is posted there, too.',
  ]);

/** After this, a reader starts at the first page again. */
const PAGE_KEPT_MS = 10 * 60 * 1_000;
const MOST_READERS = 1_000;

const readerOf = ({ workspaceId, userId }: Viewer) => `${workspaceId} ${userId}`;

/** How many come before the last page of so many. */
const lastPage = (many: number) =>
  Math.max(0, Math.ceil(many / DELIVERIES_ON_A_PAGE) - 1) * DELIVERIES_ON_A_PAGE;

export interface DeliverySources {
  readonly canSee: (viewer: Viewer, channelId: string) => Promise<boolean>;
  /** A visitor's name; undefined if it can't be looked up. Never rejects. */
  readonly nameOf: (workspaceId: string, visitorId: string) => Promise<string | undefined>;
}

type DeliveryParts = Pick<App, 'prepare' | 'now'> & {
  readonly outbox: Pick<App['outbox'], 'retryAndDrop'> & {
    readonly overview: Pick<App['outbox']['overview'], 'list' | 'waiting' | 'oldest'>;
  };
};

async function placeOf({ canSee }: DeliverySources, viewer: Viewer, to: string): Promise<Place> {
  if (isPerson(to)) return { words: say`for a direct message to ${user(to)}` };
  if (await canSee(viewer, to)) return { words: say`for ${channel(to)}`, channelId: to };
  return { words: ['for a private channel that you aren’t in'] };
}

/** How many summaries wait, and which have a problem, why, and what to do. @param wanted how many come before the page */
async function readPage(app: DeliveryParts, sources: DeliverySources, viewer: Viewer, wanted: number) {
  const { workspaceId } = viewer;
  const { overview } = app.outbox;
  const { entries: all, more } = await overview.list(workspaceId, wanted + DELIVERIES_ON_A_PAGE);
  // There may be fewer by now.
  const before = Math.min(wanted, lastPage(all.length));
  const entries = all.slice(before);
  const visitorIds = new Set(entries.flatMap(({ about }) => about?.visitorId ?? []));
  const names = new Map(Array.from(visitorIds, (id) => [id, sources.nameOf(workspaceId, id)] as const));
  const [shown, waiting, oldest] = await Promise.all([
    Promise.all(
      entries.map(async (entry, index): Promise<readonly Part[]> => {
        const number = before + index + 1;
        const id = entry.about?.visitorId;
        const visitor = id && ((await names.get(id)) ?? `visitor ${id}`);
        const place = await placeOf(sources, viewer, entry.to);
        return [
          lines([`${number}. `, ...stateLine(entry, place, visitor)], troubleLine(entry, place)),
          buttonsOf(entry, place, number),
        ];
      }),
    ),
    overview.waiting(workspaceId),
    overview.oldest(workspaceId),
  ]);
  const isInTrouble = entries.length > 0;
  return [
    lines(['Only workspace admins see this.'], waitingLine(waiting, oldest, isInTrouble, app.now())),
    ...shown.flat(),
    ...turnParts(before, more),
  ];
}

/** Home's section about summaries, for admins, and its buttons. */
export function createAdminDeliveries(app: DeliveryParts, sources: DeliverySources) {
  const { retryAndDrop } = app.outbox;
  /** How many come before the page that someone is on. Memory is enough: at worst they start at the first page again. */
  const pages = new LRUCache<string, number>({ max: MOST_READERS, ttl: PAGE_KEPT_MS });
  const of = (viewer: Viewer) => readPage(app, sources, viewer, pages.get(readerOf(viewer)) ?? 0);

  /** Sets the page that `of` shows, by how many come before it. */
  const turn = (viewer: Viewer, before: string) => void pages.set(readerOf(viewer), Number(before));
  const turning = (actionId: string) =>
    definePress({
      actionId,
      answer: 'add',
      redraws: 'renew',
      needsAnswer: false,
      // The tab asks by itself who may see what.
      right: 'everybody',
      value: z.string(),
      run: async (before, viewer) => turn(viewer, before),
    });

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

  const surface = together(
    turning('home_previous_deliveries'),
    turning('home_next_deliveries'),
    changing('home_retry_delivery', 'retry'),
    changing('home_drop_delivery', 'drop'),
    definePress({
      actionId: 'home_invite_app',
      answer: 'add',
      title: 'Summaries',
      right: 'everybody',
      value: z.string(),
      run: async (channelId) => howToInvite(channelId),
    }),
  );
  return { of, turn, surface };
}
