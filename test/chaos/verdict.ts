import { judgeWebhooks, type WebhookEvidence } from './outgoing-webhooks.ts';
import { kindOf, numberIn, type Post } from './posts.ts';
import type { Failure } from './records.ts';
import { SUBSCRIBED, type Stage } from './stage.ts';
import { isWantedIn, type While } from './changing-channel.ts';
import { copiesOf, digestsDue } from './subscriptions.ts';
import type { Told } from './told.ts';

/** What a promise is about that was broken. */
const KINDS = [
  'lost',
  'durability',
  'doubled',
  'place',
  'notice',
  'digest',
  'cards',
  'links',
  'changing',
  'webhooks',
] as const;
export type Kind = (typeof KINDS)[number];

export interface Verdict {
  readonly posted: number;
  /** Never posted, and the app says why. */
  readonly failed: ReadonlyMap<string, number>;
  /** How often outgoing webhooks were taken and refused, and what the app gave up, by reason. */
  readonly webhooks: ReadonlyMap<string, number>;
  /** Of a link that the app was killed with before it could write it down: nobody was given it. */
  readonly neverHandedOut: number;
  /** How many sessions ended while a subscription was active, edited, paused or removed, and nothing changed meanwhile. */
  readonly during: ReadonlyMap<string, number>;
  /** What must not be. */
  readonly broken: readonly string[];
}

const sumOf = (maps: readonly ReadonlyMap<string, number>[]): ReadonlyMap<string, number> =>
  maps
    .flatMap((one) => [...one])
    .reduce((sum, [name, count]) => sum.set(name, (sum.get(name) ?? 0) + count), new Map<string, number>());

/** What was judged in several workspaces. */
export const together = (verdicts: readonly Verdict[]): Verdict => ({
  posted: verdicts.reduce((sum, { posted }) => sum + posted, 0),
  webhooks: sumOf(verdicts.map(({ webhooks }) => webhooks)),
  failed: sumOf(verdicts.map(({ failed }) => failed)),
  neverHandedOut: verdicts.reduce((sum, { neverHandedOut }) => sum + neverHandedOut, 0),
  during: sumOf(verdicts.map(({ during }) => during)),
  broken: verdicts.flatMap(({ broken }) => broken),
});

/** Whether the session's link was handed out, and so is on disk: then its end is found where nobody tells of it. */
export const mustBeFound = ({ fate, acknowledgedAt }: Told) =>
  acknowledgedAt === undefined && !fate.endsBeforeRedirect;

const isPromised = (told: Told) => told.acknowledgedAt !== undefined || mustBeFound(told);

/** All there is to judge a workspace by, when everything has come to its rest. */
export interface Evidence {
  readonly ended: readonly Told[];
  /** The numbers of the fates whose agent was given a link. */
  readonly linked: ReadonlySet<number>;
  /** The `ts` of the messages under which people asked, by channel. */
  readonly threads: ReadonlyMap<string, string>;
  readonly posts: readonly Post[];
  readonly failures: readonly Failure[];
  /** The sessions that ended, and whose links are open all the same. */
  readonly openLinks: readonly { readonly sessionId: string }[];
  /** When nothing changed in the channel whose subscription changes. */
  readonly whiles: readonly While[];
  /** All that the app ever sent to Slack. */
  readonly calls: Stage['slack']['calls'];
  readonly webhooks: WebhookEvidence;
  /** Between which times digests were due. */
  readonly digests: { readonly from: number; readonly to: number };
}

interface Place {
  readonly channel: string;
  readonly threadTs: string | undefined;
}

const directMessages = (userId: string) => `D${userId.slice(1)}`;
const nameOf = ({ fate, sessionId }: Told) =>
  `session ${fate.number} (${sessionId}, ${fate.channelId ?? fate.userId})`;
const wordsOf = ({ channel, threadTs }: Place) =>
  threadTs === undefined ? channel : `the thread ${threadTs} in ${channel}`;
const CHANGING: Place = { channel: SUBSCRIBED.changing, threadTs: undefined };
const isAt =
  ({ channel, threadTs }: Place) =>
  (post: Post) =>
    post.channel === channel && post.threadTs === threadTs;

export function judge(evidence: Evidence): Verdict {
  const { ended, linked, threads, posts, calls } = evidence;
  const failures = evidence.failures.filter(({ state }) => state === 'failed');
  const findings: { readonly kind: Kind; readonly words: string }[] = [];
  const failed = new Map<string, number>();
  const during = new Map<string, number>();
  let [posted, neverHandedOut] = [0, 0];
  const complain = (kind: Kind, words: string) => void findings.push({ kind, words });

  const byNumber = Map.groupBy(posts, ({ number }) => number);
  const failuresOf = Map.groupBy(failures, ({ sessionId }) => sessionId);

  function ownPlace({ fate: { channelId, inThread, userId } }: Told): Place {
    if (channelId === undefined) return { channel: directMessages(userId), threadTs: undefined };
    return { channel: channelId, threadTs: inThread ? threads.get(channelId) : undefined };
  }

  const failureOf = (told: Told, kind: Failure['kind'], to: readonly string[]) =>
    failuresOf.get(told.sessionId)?.find((failure) => failure.kind === kind && to.includes(failure.to));

  /** What may follow a summary that took the place of a card, once: the rest of it, in the thread, if there is any. */
  function judgeDetails(told: Told, summary: Post): void {
    const inThread = posts.filter(
      ({ kind, channel, threadTs }) =>
        kind === 'detail' && channel === summary.channel && threadTs === summary.ts,
    ).length;
    const most = summary.isEdited && summary.threadTs === undefined ? 1 : 0;
    if (inThread > most)
      complain('doubled', `${nameOf(told)} has its details ${inThread} times, at most ${most}`);
  }

  function judgeNotice(told: Told, isFailed: boolean): void {
    const { userId } = told.fate;
    const notices = (byNumber.get(told.fate.number) ?? []).filter(({ kind }) => kind === 'notice');
    for (const { channel } of notices)
      if (channel !== directMessages(userId))
        complain('place', `word of ${nameOf(told)} stands in ${channel}, not with its agent`);
    if (notices.length > 1) complain('doubled', `${nameOf(told)} has ${notices.length} notices`);
    if (notices.length > 0 && !isFailed) complain('notice', `${nameOf(told)} has a notice, and did not fail`);
    const isExplained = failureOf(told, 'notice', [userId, directMessages(userId)]) !== undefined;
    // A summary that went to its agent has nobody else to go to.
    if (isFailed && notices.length === 0 && told.fate.channelId !== undefined && !isExplained)
      complain('notice', `${nameOf(told)} failed, and its agent was not told`);
  }

  /** The summary in one of its places. @returns whether it is there, or why it is not */
  function judgeAt(told: Told, place: Place, summaries: readonly Post[]): boolean {
    const here = summaries.filter(isAt(place));
    if (here.length > 1)
      complain('doubled', `${nameOf(told)} has its summary ${here.length} times in ${wordsOf(place)}`);
    for (const summary of here) judgeDetails(told, summary);
    return here.length > 0;
  }

  const summarizedAt = new Map<number | undefined, number>();
  for (const [at, { args, error }] of calls.entries()) {
    const words = JSON.stringify(args);
    const number = numberIn(words);
    if (error === undefined && kindOf(words) === 'summary' && !summarizedAt.has(number))
      summarizedAt.set(number, at);
  }

  /**
   * What goes where is decided between the end and the first of its posts: the app decides as soon as the webhook is stored,
   * which may be before its answer has been read here.
   */
  function judgeChanging(told: Told, summaries: readonly Post[]): void {
    const isThere = judgeAt(told, CHANGING, summaries);
    const { endedAt, acknowledgedAt, fate } = told;
    if (acknowledgedAt === undefined) return;
    const until = summarizedAt.get(fate.number) ?? Infinity;
    const meanwhile = evidence.whiles.find((one) => one.from <= endedAt && until <= one.until);
    if (meanwhile === undefined) return;
    during.set(meanwhile.state, (during.get(meanwhile.state) ?? 0) + 1);
    const isWanted = isWantedIn(meanwhile, fate);
    if (isThere && !isWanted)
      complain('changing', `${nameOf(told)} went to a subscription that was ${meanwhile.state}`);
    const isExplained = evidence.failures.some(
      ({ kind, to, sessionId }) =>
        kind === 'summary' && to === SUBSCRIBED.changing && sessionId === told.sessionId,
    );
    if (!isThere && isWanted && !isExplained)
      complain('lost', `${nameOf(told)} didn't go to a subscription that was ${meanwhile.state}`);
  }

  /** A card is judged in a place of its own: it is posted when the link goes out. */
  function judgeCards(told: Told, own: Place, isPosted: boolean, isFailed: boolean): void {
    const { number } = told.fate;
    const cards = (byNumber.get(number) ?? []).filter(({ kind }) => kind === 'card');
    for (const card of cards) {
      if (card.channel !== own.channel || card.threadTs !== own.threadTs)
        complain('place', `a card of ${nameOf(told)} stands in ${wordsOf(card)}`);
      if (card.isPromise && isPosted)
        complain(
          'cards',
          `a card in ${card.channel} still promises the summary of ${nameOf(told)}, which came beside it`,
        );
      else if (card.isPromise) complain('cards', `a card in ${card.channel} still waits for ${nameOf(told)}`);
      if (card.hasStop) complain('cards', `a card in ${card.channel} still offers to stop ${nameOf(told)}`);
    }
    if (told.fate.channelId === undefined || !linked.has(number)) return;
    const wasPosted = cardsEver.has(number) || failureOf(told, 'card', [own.channel]) !== undefined;
    // A card that the session's end came before has nothing left to say: the summary is there instead, or why it isn't.
    if (!wasPosted && !isPosted && !isFailed)
      complain('cards', `the link to ${nameOf(told)} went out without a card`);
  }

  const cardsEver = new Set(
    calls.flatMap(({ method, args, error }) => {
      const words = JSON.stringify(args);
      const isCard = method === 'chat.postMessage' && error === undefined && kindOf(words) === 'card';
      return isCard ? [numberIn(words)] : [];
    }),
  );

  function judgeSession(told: Told): void {
    const own = ownPlace(told);
    const copies = copiesOf(told.fate).map((channel): Place => ({ channel, threadTs: undefined }));
    const summaries = (byNumber.get(told.fate.number) ?? []).filter(({ kind }) => kind === 'summary');
    for (const summary of summaries)
      if (![own, ...copies, CHANGING].some((place) => isAt(place)(summary)))
        complain(
          'place',
          `the summary of ${nameOf(told)} stands in ${wordsOf(summary)}, where it does not belong`,
        );

    const isPosted = judgeAt(told, own, summaries);
    const targets = [own.channel, told.fate.userId];
    const failure = isPosted ? undefined : failureOf(told, 'summary', targets);
    judgeCards(told, own, isPosted, failure !== undefined);
    judgeNotice(told, failure !== undefined);
    const copied = new Set(copies.filter((place) => judgeAt(told, place, summaries)));
    judgeChanging(told, summaries);
    if (isPosted) posted += 1;
    else if (failure !== undefined) failed.set(failure.reason, (failed.get(failure.reason) ?? 0) + 1);
    else if (told.acknowledgedAt !== undefined && told.fate.isHidden)
      complain('durability', `${nameOf(told)} was acknowledged with 200, and is not in ${wordsOf(own)}`);
    else if (isPromised(told))
      complain('lost', `${nameOf(told)} has no summary in ${wordsOf(own)}, and no reason why`);
    else neverHandedOut += 1;
    if (!isPromised(told) && !isPosted) return;
    for (const place of copies)
      if (!copied.has(place) && failureOf(told, 'summary', [place.channel]) === undefined)
        complain('lost', `${nameOf(told)} has no copy in ${place.channel}, which is subscribed`);
  }

  function judgeDigests(): void {
    const digests = posts.filter(({ kind }) => kind === 'digest');
    for (const { channel } of digests)
      if (channel !== SUBSCRIBED.digest) complain('place', `a digest stands in ${channel}`);
    const periods = Map.groupBy(digests, ({ text }) => text.split('\n')[1] ?? '');
    for (const [period, same] of periods)
      if (same.length > 1) complain('doubled', `the digest "${period}" stands there ${same.length} times`);
    const due = digestsDue(evidence.digests.from, evidence.digests.to);
    const explained = failures.filter(({ kind }) => kind === 'digest').length;
    if (periods.size + explained < due)
      complain('digest', `of ${due} digests that were due, ${periods.size} came`);
  }

  const own = new Set<number | undefined>(ended.map(({ fate }) => fate.number));
  for (const { kind, number } of posts)
    if (kind !== 'other' && number !== undefined && !own.has(number))
      complain('place', `a ${kind} of session ${number} stands in a workspace that it does not belong to`);
  ended.forEach(judgeSession);
  for (const { sessionId } of evidence.openLinks)
    complain('links', `the link of session ${sessionId} is open, and the session ended`);
  judgeDigests();
  const webhooks = judgeWebhooks(
    evidence.webhooks,
    { promised: ended.filter(isPromised), linked: ended.filter(({ fate }) => linked.has(fate.number)) },
    (words) => complain('webhooks', words),
  );
  return {
    posted,
    failed,
    webhooks,
    neverHandedOut,
    during,
    broken: findings.map(({ kind, words }) => `${kind}: ${words}`),
  };
}
