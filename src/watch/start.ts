import { z } from 'zod';
import type { Recording } from '../audit/recording.ts';
import type { Caller } from '../commands/caller.ts';
import { defineForm } from '../commands/form.ts';
import { isForbidden, withoutLinkSecrets } from '../commands/typed.ts';
import { definePress } from '../commands/press.ts';
import { NOBODY, defineGlobalShortcut, watchLinkChoice } from '../commands/shortcut.ts';
import { Access, accessWords } from '../permissions/access.ts';
import { ACTION, START_FORM } from '../messages/action-ids.ts';
import { channel } from '../messages/text.ts';
import type { VisitorTools, WatchTargets } from '../messages/visitor-buttons.ts';
import { visitorChoice } from '../messages/visitor-pieces.ts';
import { inOrder, visitorsAskedFor } from '../visitors/visitor-search.ts';
import { watchOffer } from '../messages/visitor-buttons.ts';
import type { Buttons } from './buttons.ts';
import { startForm } from './start-form.ts';

/** Slack takes at most 100 options; nobody reads them all. */
const MOST_CHOICES = 20;
/** The service lists the latest first, so the wanted visitor may come after these. */
const MOST_RANKED = 100;

/** The chosen access if links can still have it; otherwise the usual Watch and its menu. */
function accessGranted({ choices }: WatchTargets, chosen: Access | undefined): Access | undefined {
  return choices.find(({ access }) => access === chosen)?.access;
}

function onlyWith(targets: WatchTargets, granted: Access | undefined): WatchTargets {
  const only = targets.choices.find(({ access }) => access === granted);
  return only === undefined ? targets : { usual: only.target, choices: [] };
}

/** "Start co-browsing" from anywhere: who, with what access, where the summary goes. Also behind a button. */
export function createStart({
  visitorTools,
  startOptions,
  recording,
}: Pick<Buttons, 'visitorTools' | 'startOptions'> & {
  readonly recording: Pick<Recording, 'search' | 'lookUp'>;
}) {
  const form = defineForm({
    callbackId: START_FORM.callbackId,
    title: 'Start co-browsing',
    right: 'look',
    complaints: (filled) =>
      ['', NOBODY].includes(filled[START_FORM.visitorBlock]?.[0] ?? '')
        ? { [START_FORM.visitorBlock]: 'Choose a visitor from the list.' }
        : {},
    channelOf: (filled) => filled[START_FORM.channelBlock]?.[0],
    async run({ filled }, caller) {
      const visitorId = filled[START_FORM.visitorBlock]?.[0] ?? '';
      const { channelId } = caller;
      const access = Access.safeParse(filled[START_FORM.accessBlock]?.[0]).data;
      const tools = await visitorTools(caller);
      const { targetsOf } = tools;
      const granted = accessGranted(targetsOf(visitorId), access);
      const chosen: VisitorTools = { ...tools, targetsOf: (id) => onlyWith(targetsOf(id), granted) };
      const lookUp = () => caller.workspace.cobrowse.visitor(visitorId);
      return watchOffer(await recording.lookUp(caller, visitorId, lookUp), chosen, [
        ...(granted === undefined ? [] : [[`Access: ${accessWords(granted)}`]]),
        ...(channelId === undefined ? [] : [['The summary goes to ', channel(channelId), '.']]),
      ]);
    },
  });
  const content = async ({ workspaceId }: Caller) => startForm(await startOptions(workspaceId));

  return {
    press: definePress({
      actionId: ACTION.start,
      answer: 'add',
      right: 'watch',
      value: z.string(),
      opens: { form, content: (_value, caller) => content(caller) },
    }),
    shortcut: defineGlobalShortcut({
      callbackId: 'start_cobrowsing',
      right: 'watch',
      form,
      content,
      suggestions: {
        actionId: ACTION.visitorSearch,
        async find(typed, caller) {
          const search = withoutLinkSecrets(typed.trim());
          if (isForbidden(search, caller)) return [watchLinkChoice];
          const found = await recording.search(caller, search, () =>
            caller.workspace.cobrowse.listVisitors({ ...visitorsAskedFor(search), limit: MOST_RANKED }),
          );
          return inOrder(found, search)
            .map(visitorChoice)
            .filter(({ value }) => value.length <= 75)
            .slice(0, MOST_CHOICES);
        },
      },
    }),
  };
}
