import { z } from 'zod';
import type { Audit } from '../audit/audit.ts';
import type { Caller } from '../commands/caller.ts';
import { jsonText } from '../commands/press.ts';
import { ago } from '../messages/text.ts';
import type { Asks } from './asks.ts';

/** The value of an "Ask a colleague" or "Ask this channel" button, once it is JSON no more. */
export const About = z.tuple([z.string().min(1), z.string().optional()]);

/** Has a person or a channel asked to look at a screen, unless they were in the last ten minutes. */
export type AskOnce = ReturnType<typeof createAskOnce>;

export function createAskOnce({
  asks,
  prepare,
  wake,
  now,
}: {
  readonly asks: Pick<Asks, 'ask'>;
  readonly prepare: Audit['prepare'];
  /** Has the queued message sent. */
  readonly wake: () => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}) {
  /**
   * @param about what the form's button was about
   * @param reason empty for none
   * @returns undefined if it's queued; when they were asked before, in words, if that was in the last ten minutes
   */
  return async function askOnce(
    about: string,
    { askedId, reason }: { readonly askedId: string; readonly reason: string },
    { workspaceId, userId: askedBy, channelId, threadTs }: Caller,
  ): Promise<string | undefined> {
    const [visitorId, linkId] = jsonText.pipe(About).parse(about);
    const entry = prepare({
      workspaceId,
      userId: askedBy,
      action: 'ask',
      outcome: 'asked',
      channelId,
      visitorId,
      detail: { to: askedId, reason: reason !== '' },
    });
    const why = reason === '' ? undefined : reason;
    const before = await asks.ask(
      { workspaceId, visitorId, askedBy, askedId, reason: why, linkId, channelId, threadTs },
      entry,
    );
    if (before !== undefined) return ago(now() - before.at.getTime());
    wake();
    return undefined;
  };
}
