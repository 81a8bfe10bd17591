import type { PageMessage } from '../../sandbox/slack/page-api.ts';
import type { StandInSlack } from '../../sandbox/slack/slack.ts';
import { buttonsIn } from '../support/person.ts';

/** By what people know what the app says: the only place of the run that knows its words. */
const WORDS = {
  notice: /couldn’t post this summary in/u,
  summary: /Co-browsing session ended|asked to see the screen/u,
  card: /’s screen · /u,
  digest: /^(?:Daily|Weekly) co-browsing digest/u,
  detail: /^(?:<@\w+>, here are the details[^\n]*\n)?(?:Stopped by|Where|Reason|Recording|Feedback): /u,
} as const;
/** For who has left the channel of their summary: it says the same once more. */
const ELSEWHERE = /(?:Its summary|The summary of your request) is in <#\w+>, which you’re not in/u;
const PROMISE = /becomes the summary/u;

type Kind = keyof typeof WORDS;

/** A message of the app that stands in Slack. */
export interface Post {
  readonly kind: Kind | 'other';
  readonly channel: string;
  readonly ts: string;
  readonly threadTs: string | undefined;
  /** The number of the visitor's fate, where it is about one. */
  readonly number: number | undefined;
  readonly isEdited: boolean;
  /** A card that promises to become the summary. */
  readonly isPromise: boolean;
  readonly hasStop: boolean;
  readonly text: string;
}

export const kindOf = (text: string): Kind | 'other' => {
  if (ELSEWHERE.test(text)) return 'other';
  for (const kind of ['notice', 'summary', 'card', 'digest', 'detail'] as const)
    if (WORDS[kind].test(text)) return kind;
  return 'other';
};

/** Which visitor a message is about. */
export function numberIn(text: string): number | undefined {
  const [, number] = /\bvisitor(\d+)\b/u.exec(text) ?? [];
  return number === undefined ? undefined : Number(number);
}

function postOf({ channel, ts, thread_ts: threadTs, text, blocks, edited }: PageMessage): Post {
  return {
    kind: kindOf(text),
    channel,
    ts,
    threadTs,
    number: numberIn(text),
    isEdited: edited,
    isPromise: PROMISE.test(text),
    hasStop: buttonsIn(blocks).some(({ action_id: action }) => action === 'stop'),
    text,
  };
}

/** Everything that the app has said to anybody, and that is still there; what one person alone sees goes away by itself. */
export function postsIn({ snapshot }: Pick<StandInSlack, 'snapshot'>, users: readonly string[], app: string) {
  const posts = new Map<string, Post>();
  for (const user of users)
    for (const message of snapshot(user).messages)
      if (message.user === app && !message.ephemeral)
        posts.set(`${message.channel} ${message.ts}`, postOf(message));
  return [...posts.values()];
}
