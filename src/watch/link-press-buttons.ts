import type { z } from 'zod';
import type { WatchLink } from '../cobrowse/watch-link.ts';
import { AGENT_UNKNOWN, CobrowseError } from '../cobrowse/errors.ts';
import { valueOf } from '../messages/link-press.ts';
import type { Drawn, LinkPress } from '../messages/link-press.ts';
import { agentUnknownWords } from '../messages/failure-words.ts';
import { linkHereRetry } from './link-here.ts';
import type { Message } from '../messages/message.ts';
import { pressRefused } from './press-refusals.ts';
import type { LinkHolder } from '../sessions/stop-messages.ts';
import type { Presser } from '../commands/caller.ts';
import { definePress, jsonText } from '../commands/press.ts';
import type { Press } from '../commands/press.ts';
import type { PressHandler, PressOutcome } from './handle-press.ts';

/** Used if the service doesn't say how long a link lives: short, as its links are. */
const ASSUMED_LIFETIME_MS = 120_000;

/** The answer's texts. Prepared before the link is made, so that no link is wasted, and only for people who can watch. */
export interface Answers {
  ready(made: { readonly link: WatchLink; readonly expiresAt: Date }): Message;
  /** Asks whether to join someone who opened the same screen. */
  inUse(by: LinkHolder): Message;
}

interface LinkPressDefinition<Asked extends LinkPress> {
  readonly actionId: string;
  readonly drawn: z.ZodType<Drawn<Asked>>;
  /** `address`: the button's address makes the link, if it has one. `answer`: the link always comes in the answer. */
  readonly by: 'address' | 'answer';
  /** Whether the presser was already asked about joining. */
  readonly joins?: boolean;
  readonly prepare: (drawn: Drawn<Asked>, presser: Presser) => Promise<Answers>;
}

/** What presses that lead to a link need. */
export interface LinkPressParts {
  readonly pressHandler: PressHandler;
  /** Whether those buttons have an address of ours, which makes the link. */
  readonly addressMakesLink: boolean;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

function answerTo(outcome: PressOutcome<Answers>, now: number): Message | undefined {
  switch (outcome.is) {
    case 'repeated':
      return undefined;
    case 'refused':
      return pressRefused(outcome.why);
    case 'in-use':
      return outcome.prepared.inUse(outcome.by);
    case 'link': {
      const { link, prepared } = outcome;
      return prepared.ready({
        link,
        expiresAt: link.expiresAt ?? new Date(now + ASSUMED_LIFETIME_MS),
      });
    }
    default:
      return outcome satisfies never;
  }
}

/** The press of a button that leads to a link: through its address, which the press confirms, or in the answer. */
export function defineLinkPress<Asked extends LinkPress>(
  { pressHandler, addressMakesLink, now }: LinkPressParts,
  { actionId, drawn: schema, by, joins = false, prepare }: LinkPressDefinition<Asked>,
): Press {
  const isProof = by === 'address' && addressMakesLink;
  return definePress({
    actionId,
    answer: 'replace',
    right: 'link',
    value: jsonText.pipe(schema),
    needsAnswer: !isProof,
    async run(drawn, presser) {
      if (isProof) {
        const why = await pressHandler.prove(drawn, presser);
        return why === undefined ? undefined : pressRefused(why);
      }
      const prepared = async () => {
        // No link is made before there is a place to show it.
        await presser.opened;
        return prepare(drawn, presser);
      };
      try {
        return answerTo(await pressHandler.link(drawn, presser, joins, prepared), now());
      } catch (error) {
        if (!(error instanceof CobrowseError) || error.code !== AGENT_UNKNOWN) throw error;
        return linkHereRetry('proxy' in drawn.press ? 'proxy' : 'watch', valueOf(drawn), agentUnknownWords);
      }
    },
  });
}
