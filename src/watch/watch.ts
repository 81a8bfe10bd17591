import { addressPress, defineCommand, jsonText, type Surface } from '../commands/command.ts';
import { requiredSearch } from '../commands/typed.ts';
import { DrawnWatch, valueOf, type Drawn } from '../messages/link-request.ts';
import type { Line } from '../messages/text.ts';
import { watchAgain, watchOffer, whoLine } from '../messages/visitor-pieces.ts';
import type { LinkHolder } from '../team/stop.ts';
import { showFound, type Showing } from '../visitors/visitor.ts';
import type { DefineLinkPress } from './handle-press.ts';
import { joinOffer, linkHereAgain, openAgainOffer, watchLinkReady } from './link-here.ts';
import type { createStart } from './start.ts';

const askFirst = (about: Line, by: LinkHolder, drawn: Drawn) =>
  by.userId === drawn.for
    ? openAgainOffer(about, by.at, valueOf(drawn))
    : joinOffer(about, by, valueOf(drawn));

function watchPresses({ visitorTools }: Pick<Showing, 'visitorTools'>, defineLinkPress: DefineLinkPress) {
  /** Answered with the link if the button has no address. */
  const watchPress = (actionId: string) =>
    defineLinkPress({
      actionId,
      drawn: DrawnWatch,
      by: 'address',
      async prepare(drawn, presser) {
        const { ticketUrl } = drawn.place ?? {};
        const [visitor, tools] = await Promise.all([
          presser.workspace.cobrowse.visitor(drawn.press.visitorId),
          visitorTools(ticketUrl === undefined ? presser : { ...presser, ticketUrl }),
        ]);
        return {
          ready: (made) => watchLinkReady(visitor, made, watchAgain(visitor, tools)),
          inUse: (by) => askFirst(whoLine(visitor), by, drawn),
        };
      },
    });

  /** For a button that never has an address. */
  const watchHerePress = (actionId: string, joins: boolean) =>
    defineLinkPress({
      actionId,
      drawn: DrawnWatch,
      by: 'answer',
      joins,
      async prepare(drawn, presser) {
        const visitor = await presser.workspace.cobrowse.visitor(drawn.press.visitorId);
        const [about, value] = [whoLine(visitor), valueOf(drawn)];
        return {
          ready: (made) => watchLinkReady(visitor, made, linkHereAgain(about, 'watch', value)),
          inUse: (by) => askFirst(about, by, drawn),
        };
      },
    });

  return [
    watchPress('watch'),
    watchPress('watch_with'),
    watchHerePress('watch_here', false),
    watchHerePress('watch_here_with', false),
    watchHerePress('watch_join', true),
  ];
}

/** @param ofSessions the buttons of cards and summaries */
export function createWatchCommand(
  parts: Showing,
  defineLinkPress: DefineLinkPress,
  start: ReturnType<typeof createStart>,
  ofSessions: Surface,
) {
  return defineCommand({
    name: 'watch',
    usage: 'watch <name, email or id>',
    summary: 'Go straight to the Watch button for one customer’s screen',
    tool: {
      name: 'send_watch_button',
      description:
        'Sends who asks a direct message with a button, by which they can see a customer’s screen once they press it. Opens nothing by itself. Use it only if they ask for it.',
      argument: { name: 'id', description: 'The customer’s ID, email or name' },
      sends: true,
      buttons: ['watch', 'watch_here'].map((actionId) => ({
        actionId,
        text: 'Get Watch button',
        argumentIn: (value) => jsonText.pipe(DrawnWatch).safeParse(value).data?.press.visitorId,
      })),
    },
    right: 'look-to-watch',
    level: 'everyday',
    examples: ['watch jane'],
    searches: true,
    takesTicket: true,
    argument: requiredSearch('Whose screen?'),
    run: (text, caller) => showFound(text, caller, parts, { idFirst: true, show: watchOffer }),
    globalShortcut: start.shortcut,
    forms: [start.form, ...ofSessions.forms],
    presses: [
      start.shortcut.press,
      ...watchPresses(parts, defineLinkPress),
      ...ofSessions.presses,
      addressPress('open_link'),
    ],
  });
}
