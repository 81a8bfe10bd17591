import { z } from 'zod';
import { ACTION } from '../views/action-ids.ts';
import { linkReady, watchOffer } from '../views/watch-offer.ts';
import { defineCommand, definePress } from './command.ts';
import { requiredText } from './slack-input.ts';

/** Where the service does not say how long its link lives: short, as its links are. */
const ASSUMED_LIFETIME_MS = 120_000;

export const watchCommand = defineCommand({
  name: 'watch',
  usage: 'watch <visitor id>',
  summary: "Go straight to the Watch button of one visitor's screen.",
  argument: requiredText('Whose screen? The visitor id is missing.'),
  async run(visitorId, caller, { cobrowse, watchTargetsFor }) {
    return watchOffer(await cobrowse.visitor(visitorId), watchTargetsFor(caller));
  },
  presses: [
    definePress({
      actionId: ACTION.watch,
      answer: 'replace',
      value: z.string().min(1),
      async run(visitorId, caller, { cobrowse, linkAtPress, watchTargetsFor }) {
        if (linkAtPress === undefined) return undefined;
        const visitor = await cobrowse.visitor(visitorId);
        const link = await linkAtPress(visitorId, caller);
        const expiresAt = link.expiresAt ?? new Date(Date.now() + ASSUMED_LIFETIME_MS);
        return linkReady({ visitor, link, expiresAt }, watchTargetsFor(caller));
      },
    }),
    // The press of the link button itself: Slack wants it acknowledged, the browser does the rest.
    definePress({
      actionId: ACTION.openLink,
      answer: 'replace',
      value: z.string(),
      run: async () => undefined,
    }),
  ],
});
