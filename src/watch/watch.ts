import { addressPress, defineCommand, jsonText, type Surface } from '../commands/command.ts';
import { requiredSearch } from '../commands/typed.ts';
import { DrawnWatch, valueOf } from '../messages/link-request.ts';
import { watchAgain, watchOffer, whoLine } from '../messages/visitor-pieces.ts';
import { showFound, type Showing } from '../visitors/visitor.ts';
import type { DefineLinkPress } from './handle-press.ts';
import { joinOffer, linkHereAgain, openAgainOffer, watchLinkReady } from './link-here.ts';
import type { createStart } from './start.ts';

function watchPresses({ visitorTools }: Pick<Showing, 'visitorTools'>, defineLinkPress: DefineLinkPress) {
  /** @param by `address` for a button that may have one, and is answered with the link if it has none */
  const press = (actionId: string, by: 'address' | 'answer', joins = false) =>
    defineLinkPress({
      actionId,
      drawn: DrawnWatch,
      by,
      joins,
      async prepare(drawn, presser) {
        const ticketUrl = drawn.place?.ticketUrl ?? presser.ticketUrl;
        const [visitor, tools] = await Promise.all([
          presser.workspace.cobrowse.visitor(drawn.press.visitorId),
          by === 'address' ? visitorTools({ ...presser, ticketUrl }) : undefined,
        ]);
        const [about, value] = [whoLine(visitor), valueOf(drawn)];
        const again = tools ? watchAgain(visitor, tools) : linkHereAgain(about, 'watch', value);
        return {
          ready: (made) => watchLinkReady(visitor, made, again),
          inUse: (holder) =>
            holder.userId === drawn.for
              ? openAgainOffer(about, holder.at, value)
              : joinOffer(about, holder, value),
        };
      },
    });

  return [
    press('watch', 'address'),
    press('watch_with', 'address'),
    press('watch_here', 'answer'),
    press('watch_here_with', 'answer'),
    press('watch_join', 'answer', true),
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
