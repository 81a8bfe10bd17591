import { z } from 'zod';
import { ACTION } from '../views/action-ids.ts';
import { joinOffer, linkHereAgain } from '../views/link-here.ts';
import { whoLine } from '../views/visitor-pieces.ts';
import { watchAgain, watchLinkReady, watchOffer } from '../views/watch-offer.ts';
import { ifMayLook } from './allowed.ts';
import { defineCommand } from './command.ts';
import { DrawnWatch, valueOf } from '../grants/link-press.ts';
import { defineLinkPress } from './link-press.ts';
import { definePress } from './press.ts';
import type { Press } from './press.ts';
import { startShortcut } from './start.ts';
import { requiredText } from './slack-input.ts';

export const watchCommand = defineCommand({
  name: 'watch',
  usage: 'watch <visitor id>',
  summary: "Go straight to the Watch button of one visitor's screen.",
  argument: requiredText('Whose screen? The visitor id is missing.'),
  run: (visitorId, caller, services) =>
    ifMayLook({ caller, services }, async (tools) => {
      const lookUp = () => services.cobrowse.visitor(visitorId);
      return watchOffer(await services.recording.lookUp(caller, visitorId, lookUp), tools);
    }),
  globalShortcut: startShortcut,
  forms: [startShortcut.form],
  presses: [
    watchPress(ACTION.watch),
    watchPress(ACTION.watchWith),
    watchHerePress(ACTION.watchHere, false),
    watchHerePress(ACTION.watchJoin, true),
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

/** The press of Watch, or of its menu; where the button has no address, answered with the link. */
function watchPress(actionId: string): Press {
  return defineLinkPress({
    actionId,
    drawn: DrawnWatch,
    by: 'address',
    async prepare(drawn, presser, { cobrowse, visitorTools }) {
      const [visitor, tools] = await Promise.all([
        cobrowse.visitor(drawn.press.visitorId),
        visitorTools(presser),
      ]);
      return {
        ready: (made) => watchLinkReady({ visitor, ...made }, watchAgain(visitor, tools)),
        inUse: (by) => joinOffer(whoLine(visitor), by, valueOf(drawn)),
      };
    },
  });
}

/** The press of a button that never has an address. @param joins whether it says so, after the question */
function watchHerePress(actionId: string, joins: boolean): Press {
  return defineLinkPress({
    actionId,
    drawn: DrawnWatch,
    by: 'answer',
    joins,
    async prepare(drawn, _presser, { cobrowse }) {
      const visitor = await cobrowse.visitor(drawn.press.visitorId);
      const [about, value] = [whoLine(visitor), valueOf(drawn)];
      return {
        ready: (made) => watchLinkReady({ visitor, ...made }, linkHereAgain(about, 'watch', value)),
        inUse: (by) => joinOffer(about, by, value),
      };
    },
  });
}
