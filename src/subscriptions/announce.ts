import type { Message } from '../messages/message.ts';

/** What became of a post. `reason` is Slack's code, or ours. */
export type Announced =
  | {
      readonly outcome: 'posted';
      readonly ts?: string;
      /** Where it is: for direct messages not the id it was sent to. */
      readonly channelId?: string;
    }
  /** It may succeed later; `unclear` if nobody knows whether it arrived. */
  | { readonly outcome: 'later'; readonly reason: string; readonly unclear?: true }
  | { readonly outcome: 'never'; readonly reason: string };

/** Posts to a channel, or to a user by direct message; with `replaces`, by `ts`, in the place of that post. Never rejects. */
export type Announce = (
  workspaceId: string,
  to: string,
  message: Message,
  replaces?: string,
) => Promise<Announced>;

/** What a channel is told: that someone is about to do something, then that they did, or that it isn't sure. */
interface Told {
  readonly begun: Message;
  readonly done: Message;
  readonly unsure: Message;
}

/**
 * Writes what a channel's posts depend on, in an order in which nothing is said to be done before it is, and nothing is
 * written that the channel wasn't told of. A post comes first: if the channel doesn't accept it, it won't accept later ones,
 * and nothing is written. It says who is doing what, which is true whatever follows. Then comes the write, and then the same
 * post says that it's done. Whoever dies in between leaves the first words standing, which name it, too.
 */
export function createTellAndWrite(announce: Announce) {
  /** @returns what was written, undefined where `write` writes nothing; or how the channel refused, where nothing was tried */
  return async function tellAndWrite<Written>(
    [workspaceId, channelId]: readonly [workspaceId: string, channelId: string],
    { begun, done, unsure }: Told,
    write: () => Promise<Written | undefined>,
  ): Promise<
    | { readonly written: Written | undefined }
    | { readonly refused: Exclude<Announced, { readonly outcome: 'posted' }> }
  > {
    const posted = await announce(workspaceId, channelId, begun);
    if (posted.outcome !== 'posted') return { refused: posted };
    let written: Written | undefined;
    try {
      written = await write();
    } finally {
      const words = written === undefined ? unsure : done;
      // A lost change of the words is no harm: those that stand are true.
      if (posted.ts !== undefined)
        await announce(workspaceId, posted.channelId ?? channelId, words, posted.ts);
    }
    return { written };
  };
}

export type TellAndWrite = ReturnType<typeof createTellAndWrite>;
