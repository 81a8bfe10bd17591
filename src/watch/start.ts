import { NOBODY } from '../messages/visitor-choice.ts';
import { visitorChoice } from '../messages/visitor-choice.ts';
import { watchLinkChoice } from '../messages/visitor-choice.ts';
import { isForbidden } from '../commands/search-text.ts';
import { asked, ifAllowed, ifMayLook, recordRefusal } from '../commands/allowed.ts';
import type { GlobalShortcut } from '../commands/shortcut.ts';
import type { Form } from '../commands/form.ts';
import type { Press } from '../commands/press.ts';
import { ACTION, START_FORM } from '../messages/action-ids.ts';
import { accessWords } from '../messages/access-words.ts';
import { channel } from '../messages/rich-text.ts';
import { startForm } from './start-form.ts';
import type { VisitorTools, WatchTargets } from '../messages/visitor-buttons.ts';
import { watchOffer } from '../messages/watch-offer.ts';
import { inOrder } from '../messages/visitor-order.ts';
import { withoutLinkSecrets } from '../commands/pasted-links.ts';
import { visitorsAskedFor } from '../visitors/visitor-search.ts';
import { Access } from '../permissions/access.ts';

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

const form: Form = {
  callbackId: START_FORM.callbackId,
  title: 'Start co-browsing',
  complaints: (filled) =>
    ['', NOBODY].includes(filled[START_FORM.visitorBlock]?.[0] ?? '')
      ? { [START_FORM.visitorBlock]: 'Choose a visitor from the list.' }
      : {},
  channelOf: (filled) => filled[START_FORM.channelBlock]?.[0],
  run({ filled }, caller, services) {
    const visitorId = filled[START_FORM.visitorBlock]?.[0] ?? '';
    const { channelId } = caller;
    const access = Access.safeParse(filled[START_FORM.accessBlock]?.[0]).data;
    return ifMayLook({ caller, services }, async (tools) => {
      const { targetsOf } = tools;
      const granted = accessGranted(targetsOf(visitorId), access);
      const chosen: VisitorTools = { ...tools, targetsOf: (id) => onlyWith(targetsOf(id), granted) };
      const lookUp = () => services.cobrowse.visitor(visitorId);
      return watchOffer(await services.recording.lookUp(caller, visitorId, lookUp), chosen, [
        ...(granted === undefined ? [] : [[`Access: ${accessWords(granted)}`]]),
        ...(channelId === undefined ? [] : [['The summary goes to ', channel(channelId), '.']]),
      ]);
    });
  },
};

const content: GlobalShortcut['content'] = (caller, services) =>
  ifAllowed('watch', { caller, services }, async () =>
    startForm(await services.startOptions(caller.workspaceId)),
  );

/** The same form behind a button. */
export const startPress: Press = {
  actionId: ACTION.start,
  answer: 'add',
  opens: { form, content: (_value, caller, services) => content(caller, services) },
  needsAnswer: () => true,
  run: async () => undefined,
};

/** "Start co-browsing" from anywhere: who, with what access, where the summary goes. */
export const startShortcut: GlobalShortcut = {
  callbackId: 'start_cobrowsing',
  form,
  content,
  suggestions: {
    actionId: ACTION.visitorSearch,
    async find(typed, caller, services) {
      const { cobrowse, mayAct, recording } = services;
      const verdict = await asked('watch', { caller, services }, () => mayAct('watch', caller));
      if (!verdict.allowed) {
        // The form itself explains a refusal: suggestions have no room for it.
        await recordRefusal('watch', verdict.why, { caller, services });
        return [];
      }
      const search = withoutLinkSecrets(typed.trim());
      if (isForbidden(search, services)) return [watchLinkChoice];
      const found = await recording.search(caller, search, () =>
        cobrowse.listVisitors({ ...visitorsAskedFor(search), limit: MOST_RANKED }),
      );
      return inOrder(found, search)
        .map(visitorChoice)
        .filter(({ value }) => value.length <= 75)
        .slice(0, MOST_CHOICES);
    },
  },
};
