import type { z } from 'zod';
import type { Presser } from '../commands/caller.ts';
import { definePress, jsonText } from '../commands/press.ts';
import type { Press } from '../commands/press.ts';
import type { Drawn, LinkPress } from '../messages/link-request.ts';
import type { Answers, PressHandler } from './handle-press.ts';

/** What presses that lead to a link need. */
export interface LinkPressParts {
  readonly pressHandler: PressHandler;
  /** Whether those buttons have an address of ours, which makes the link. */
  readonly addressMakesLink: boolean;
}

/** The press of a button that leads to a link: through its address, which the press confirms, or in the answer. */
export function defineLinkPress<Asked extends LinkPress>(
  { pressHandler, addressMakesLink }: LinkPressParts,
  definition: {
    readonly actionId: string;
    readonly drawn: z.ZodType<Drawn<Asked>>;
    /** `address`: the button's address makes the link, if it has one. `answer`: the link always comes in the answer. */
    readonly by: 'address' | 'answer';
    /** Whether the presser was already asked about joining. */
    readonly joins?: boolean;
    readonly prepare: (drawn: Drawn<Asked>, presser: Presser) => Promise<Answers>;
  },
): Press {
  const { actionId, drawn: schema, by, joins = false, prepare } = definition;
  const isProof = by === 'address' && addressMakesLink;
  return definePress({
    actionId,
    answer: 'replace',
    right: 'link',
    value: jsonText.pipe(schema),
    needsAnswer: !isProof,
    async run(drawn, presser) {
      if (isProof) return pressHandler.prove(drawn, presser);
      return pressHandler.link(drawn, presser, joins, async () => {
        // No link is made before there is a place to show it.
        await presser.opened;
        return prepare(drawn, presser);
      });
    },
  });
}
