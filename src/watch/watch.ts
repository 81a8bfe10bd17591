import { z } from 'zod';
import { needAccount } from '../cobrowse/client.ts';
import {
  addressPress,
  defineCommand,
  defineForm,
  definePress,
  jsonText,
  NOBODY,
  wordsAlone,
  type GlobalShortcut,
  type Surface,
} from '../commands/command.ts';
import { field, inputs } from '../commands/inputs.ts';
import type { Caller } from '../commands/rights.ts';
import { asked, isForbidden, requiredSearch } from '../commands/typed.ts';
import { DrawnWatch, valueOf } from '../messages/link-request.ts';
import type { FormContent } from '../messages/modal.ts';
import { accessTitle, accessWords } from '../messages/session-words.ts';
import { channel, given, plain } from '../messages/text.ts';
import { visitorChoice, watchAgain, watchOffer, whoLine } from '../messages/visitor-pieces.ts';
import { accessLevelsUpTo } from '../permissions/permissions.ts';
import { inOrder, listedFor } from '../visitors/visitor-search.ts';
import { lookedUp, showFound, type Showing } from '../visitors/visitor.ts';
import { defaultAccessIn } from '../workspaces/settings.ts';
import type { DefineLinkPress } from './handle-press.ts';
import { joinOffer, linkHereAgain, openAgainOffer, watchLinkReady } from './link-here.ts';

/** Slack takes at most 100 options; nobody reads them all. */
const MOST_CHOICES = 20;
/** The service lists the latest first, so the wanted visitor may come after these. */
const MOST_RANKED = 100;

async function content({ workspace }: Caller): Promise<FormContent> {
  needAccount(workspace.cobrowse);
  const settings = await workspace.settings();
  const { maxAccess, summaryChannel } = settings;
  const levels = accessLevelsUpTo(maxAccess).map((access) => [access, accessTitle(access)] as const);
  const otherwise =
    summaryChannel === undefined
      ? 'you get the summary as a direct message'
      : 'the summary goes to the workspace’s summary channel';
  const channelInput = inputs.channel('channel', 'Post the summary in', {
    hint: `The app must be in that channel. If empty, ${otherwise}.`,
    optional: true,
    placeholder: 'Choose a channel',
    // Only Slack knows where the person is: a global shortcut doesn't say.
    isHere: summaryChannel === undefined,
  });
  return {
    submit: 'Continue',
    blocks: given([
      field({
        block: 'visitor',
        label: 'Customer',
        hint: 'Type part of the name or email, or the lookup code.',
        element: {
          type: 'external_select',
          action_id: 'visitor_search',
          min_query_length: 1,
          placeholder: plain('Search customers'),
        },
      }),
      levels.length > 1 &&
        inputs.radios('access', 'Your access', levels).show(defaultAccessIn(settings, undefined)),
      workspace.endSource !== 'never' && channelInput.show(summaryChannel),
    ]),
  };
}

/** "Start co-browsing": who, with what access, where the summary goes. */
function createStart(showing: Showing) {
  const form = defineForm({
    callbackId: 'start_form',
    title: 'Start co-browsing',
    right: 'look-to-watch',
    complaints: (filled): Readonly<Record<string, string>> =>
      ['', NOBODY].includes(filled['visitor']?.[0] ?? '')
        ? { visitor: 'Choose a customer from the list.' }
        : {},
    channelOf: (filled) => filled['channel']?.[0],
    async run({ filled }, caller) {
      const visitorId = filled['visitor']?.[0] ?? '';
      const { channelId } = caller;
      const tools = await showing.visitorTools(caller);
      const visitor = await lookedUp(showing, caller, visitorId);
      // The chosen access if links can still have it; otherwise the usual Watch and its menu.
      const [chosen] = filled['access'] ?? [];
      const only = tools.targetsOf(visitorId).choices.find(({ access }) => access === chosen);
      const targets = only && { usual: only.target, choices: [] };
      return watchOffer(visitor, targets === undefined ? tools : { ...tools, targetsOf: () => targets }, [
        ...(only === undefined ? [] : [[`Access: ${accessWords(only.access)}`]]),
        ...(channelId === undefined ? [] : [['The summary goes to ', channel(channelId), '.']]),
      ]);
    },
  });

  const shortcut: GlobalShortcut = {
    callbackId: 'start_cobrowsing',
    press: definePress({
      actionId: 'start',
      answer: 'add',
      right: 'watch',
      value: z.string(),
      opens: { form, content: (_value, caller) => content(caller) },
    }),
    suggestions: {
      actionId: 'visitor_search',
      right: 'watch',
      async run(typed, caller) {
        const search = asked(typed);
        if (isForbidden(search, caller))
          return [wordsAlone('That looks like a watch link, so I didn’t search for it.')];
        const found = await showing.recording.search(caller, search, () =>
          listedFor(search, MOST_RANKED, caller.workspace.cobrowse),
        );
        return inOrder(found, search)
          .map((visitor) => visitorChoice(visitor))
          .filter(({ value }) => value.length <= 75)
          .slice(0, MOST_CHOICES);
      },
    },
  };
  return { form, shortcut };
}

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
export function createWatchCommand(parts: Showing, defineLinkPress: DefineLinkPress, ofSessions: Surface) {
  const start = createStart(parts);
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
