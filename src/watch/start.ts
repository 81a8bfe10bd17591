import { z } from 'zod';
import { needAccount } from '../cobrowse/client.ts';
import type { Caller } from '../commands/rights.ts';
import {
  defineForm,
  definePress,
  type GlobalShortcut,
  NOBODY,
  notSearchedChoice,
} from '../commands/command.ts';
import { asked, isForbidden } from '../commands/typed.ts';
import { field, inputs } from '../commands/inputs.ts';
import { channel, given, plain } from '../messages/text.ts';
import type { FormContent } from '../messages/modal.ts';
import { accessTitle, accessWords } from '../messages/session-words.ts';
import { visitorChoice, watchOffer } from '../messages/visitor-pieces.ts';
import { accessLevelsUpTo } from '../permissions/permissions.ts';
import { inOrder, listedFor } from '../visitors/visitor-search.ts';
import type { Showing } from '../visitors/visitor.ts';
import { defaultAccessIn } from '../workspaces/settings.ts';

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
export function createStart({ visitorTools, recording }: Pick<Showing, 'visitorTools' | 'recording'>) {
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
      const tools = await visitorTools(caller);
      const lookUp = () => caller.workspace.cobrowse.visitor(visitorId);
      const visitor = await recording.lookUp(caller, visitorId, lookUp);
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
        if (isForbidden(search, caller)) return [notSearchedChoice];
        const found = await recording.search(caller, search, () =>
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
