import { z } from 'zod';
import { ACTION } from '../views/action-ids.ts';
import { watchLinkReady, watchOffer } from '../views/watch-offer.ts';
import { defineCommand } from './command.ts';
import { definePress, jsonText } from './press.ts';
import { WatchPress } from './services.ts';
import type { Press } from './press.ts';
import { startShortcut } from './start.ts';
import { requiredText } from './slack-input.ts';

/** Where the service does not say how long its link lives: short, as its links are. */
const ASSUMED_LIFETIME_MS = 120_000;

export const watchCommand = defineCommand({
  name: 'watch',
  usage: 'watch <visitor id>',
  summary: "Go straight to the Watch button of one visitor's screen.",
  argument: requiredText('Whose screen? The visitor id is missing.'),
  async run(visitorId, caller, { cobrowse, visitorTools }) {
    return watchOffer(await cobrowse.visitor(visitorId), await visitorTools(caller));
  },
  globalShortcut: startShortcut,
  forms: [startShortcut.form],
  presses: [
    watchPress(ACTION.watch),
    watchPress(ACTION.watchWith),
    // The press of the link button itself: Slack wants it acknowledged, the browser does the rest.
    definePress({
      actionId: ACTION.openLink,
      answer: 'replace',
      value: z.string(),
      needsAnswer: () => false,
      run: async () => undefined,
    }),
  ],
});

/** Where the button's address does the work there is nothing to say; else a link is made and shown. */
function watchPress(actionId: string): Press {
  return definePress({
    actionId,
    answer: 'replace',
    value: jsonText.pipe(WatchPress),
    needsAnswer: ({ linkAtPress }) => linkAtPress !== undefined,
    async run(press, caller, { cobrowse, linkAtPress, visitorTools }) {
      if (linkAtPress === undefined) return undefined;
      const visitor = await cobrowse.visitor(press.visitorId);
      const link = await linkAtPress(press, caller);
      const expiresAt = link.expiresAt ?? new Date(Date.now() + ASSUMED_LIFETIME_MS);
      return watchLinkReady({ visitor, link, expiresAt }, await visitorTools(caller));
    },
  });
}
