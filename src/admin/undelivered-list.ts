import { button, buttons, lines, notice, refusal } from '../messages/message.ts';
import { ledgerAnswerWords, troubleWords } from '../messages/delivery-words.ts';
import type { RetryAnswer, Trouble } from '../messages/delivery-words.ts';
import { HOME_ACTION } from '../messages/action-ids.ts';
import type { Message, Part } from '../messages/message.ts';
import { LIMITS, bold, channel, count, date, short, user } from '../messages/text.ts';
import type { Line, Piece } from '../messages/text.ts';

/** Where a summary belongs, as far as the reader can see it. */
export type DeliveryPlace =
  | { readonly is: 'channel'; readonly channelId: string }
  | { readonly is: 'private-channel' }
  | { readonly is: 'person'; readonly userId: string }
  | { readonly is: 'unknown' };

/** A summary that isn't delivered. */
export interface TroubledDelivery {
  readonly id: string;
  readonly place: DeliveryPlace;
  readonly trouble: Trouble;
  /** The visitor's name, and the user who watched; absent for a digest, or if unknown. */
  readonly about?: { readonly visitor: string; readonly userId: string };
  readonly state:
    | { readonly is: 'waiting'; readonly since: Date; readonly attempts: number; readonly nextAt: Date }
    | { readonly is: 'failed'; readonly at: Date };
}

/** The state of the workspace's summaries. */
export interface DeliveriesNow {
  readonly waiting: number;
  /** The one that has waited longest; `isLate` after a minute, `isInTurn` if nothing is wrong with it. */
  readonly oldest?: { readonly since: Date; readonly isLate: boolean; readonly isInTurn: boolean };
  /** A page of those with a problem, and how many come before and after it. */
  readonly troubled: readonly TroubledDelivery[];
  readonly before: number;
  readonly more: number;
}

/** Of those with a problem. */
export const DELIVERIES_ON_A_PAGE = 10;

function placeWords(place: DeliveryPlace): readonly Piece[] {
  switch (place.is) {
    case 'channel':
      return ['for ', channel(place.channelId)];
    case 'private-channel':
      return ['for a private channel that you aren’t in'];
    case 'person':
      return ['for a direct message to ', user(place.userId)];
    case 'unknown':
      return ['for an unknown channel'];
    default:
      return place satisfies never;
  }
}

function stateLine({ state, place, about }: TroubledDelivery): Line {
  const session: Line =
    about === undefined
      ? ['a message ']
      : [bold(short(about.visitor)), '’s session with ', user(about.userId), ', '];
  const what = [...session, ...placeWords(place), ' · '];
  if (state.is === 'failed') return [bold('Couldn’t deliver: '), ...what, date(state.at)];
  const { since, attempts, nextAt } = state;
  const tried = `Tried ${count(attempts, 'time')} · Since: `;
  return [bold('Waiting: '), ...what, tried, date(since), ' · Next try: ', date(nextAt)];
}

function buttonsOf({ id }: TroubledDelivery, number: number): readonly Part[] {
  // Too long for a button: it's kept, and retried without one.
  if (id.length > LIMITS.buttonValue) return [];
  return [
    buttons(
      button({
        text: 'Retry',
        actionId: HOME_ACTION.retryDelivery,
        value: id,
        label: `Retry summary ${number}`,
      }),
      button({
        text: 'Discard',
        actionId: HOME_ACTION.dropDelivery,
        value: id,
        label: `Discard summary ${number}`,
        style: 'danger',
        confirm: {
          title: 'Discard this summary?',
          text: 'It won’t be posted, and you can’t undo this.',
          yes: 'Discard',
          no: 'Keep',
        },
      }),
    ),
  ];
}

function waitingLine({ waiting, oldest, troubled }: DeliveriesNow): Line {
  if (waiting === 0) {
    return [troubled.length === 0 ? 'All summaries delivered.' : 'No summaries are waiting.'];
  }
  const howMany = bold(`${count(waiting, 'summary', 'summaries')} waiting`);
  if (oldest === undefined) return [howMany];
  const since: Line = [howMany, '. Oldest: ', date(oldest.since), '.'];
  if (!oldest.isLate) return since;
  if (oldest.isInTurn)
    return [...since, ' Slack accepts about one message a second per channel, so they go out in turn.'];
  return [...since, ' That’s more than a minute ago: something is holding it up.'];
}

const numberOf = (many: number) => many.toLocaleString('en-US');

/** To the other pages, each button with the number of summaries before its page. */
function turnParts({ before, more }: DeliveriesNow): readonly Part[] {
  const previous = button({
    text: 'Previous',
    actionId: HOME_ACTION.previousDeliveries,
    value: String(Math.max(0, before - DELIVERIES_ON_A_PAGE)),
    label: 'Previous summaries',
  });
  const next = button({
    text: 'Next',
    actionId: HOME_ACTION.nextDeliveries,
    value: String(before + DELIVERIES_ON_A_PAGE),
    label: 'Next summaries',
  });
  if (before === 0) return more === 0 ? [] : [lines([`And ${numberOf(more)} more.`]), buttons(next)];
  if (more === 0) return [lines([`And ${numberOf(before)} before these.`]), buttons(previous)];
  const words = `And ${numberOf(before)} before these, ${numberOf(more)} after.`;
  return [lines([words]), buttons(previous, next)];
}

/** For admins: how many summaries wait, and which have a problem, why, and what to do. */
export function deliveryParts(now: DeliveriesNow): readonly Part[] {
  const { troubled, before } = now;
  return [
    lines(['Only workspace admins see this.'], waitingLine(now)),
    ...troubled.flatMap((delivery, index) => [
      lines(
        [`${before + index + 1}. `, ...stateLine(delivery)],
        troubleWords(delivery.trouble, delivery.state.is === 'failed', 'admin'),
      ),
      ...buttonsOf(delivery, before + index + 1),
    ]),
    ...turnParts(now),
  ];
}

/** The answer to Retry or Discard. */
export function retryAnswer(answer: RetryAnswer): Message {
  return notice([ledgerAnswerWords(answer)]);
}

/** For someone who pressed Retry or Discard and isn't an admin. */
export function deliveriesForAdminsOnly(): Message {
  return refusal(
    ['Only workspace admins and owners can retry or discard summaries. Nothing changed.'],
    ['Ask one of them.'],
  );
}
