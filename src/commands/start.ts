import type { GlobalShortcut } from './shortcut.ts';
import type { Form } from './form.ts';
import { ACTION, START_FORM } from '../views/action-ids.ts';
import { startForm } from '../views/start-form.ts';
import { visitorChoice } from '../views/visitor-choice.ts';
import { watchOffer } from '../views/watch-offer.ts';
import { Power } from '../grants/power.ts';

/** Slack takes at most 100 options; nobody reads them all. */
const MOST_CHOICES = 20;

const form: Form = {
  callbackId: START_FORM.callbackId,
  title: 'Start co-browsing',
  complaints: (filled) =>
    (filled[START_FORM.visitorBlock]?.[0] ?? '') === ''
      ? { [START_FORM.visitorBlock]: 'Choose a visitor from the list.' }
      : {},
  async run(filled, caller, { cobrowse, visitorTools }) {
    const visitorId = filled[START_FORM.visitorBlock]?.[0] ?? '';
    const channelId = filled[START_FORM.channelBlock]?.[0];
    const power = Power.safeParse(filled[START_FORM.powerBlock]?.[0]).data;
    const place = channelId === undefined ? caller : { ...caller, channelId };
    const tools = await visitorTools(place);
    const targetsOf: typeof tools.targetsOf = (id) => {
      const targets = tools.targetsOf(id);
      const chosen = targets.choices.find((choice) => choice.power === power);
      return chosen === undefined ? targets : { usual: chosen.target, choices: [] };
    };
    return watchOffer(await cobrowse.visitor(visitorId), { ...tools, targetsOf });
  },
};

/** "Start co-browsing" from anywhere: who, with what power, where the summary goes. */
export const startShortcut: GlobalShortcut = {
  callbackId: 'start_cobrowsing',
  form,
  content: async (caller, { startOptions }) => startForm(await startOptions(caller.workspaceId)),
  suggestions: {
    actionId: ACTION.visitorSearch,
    async find(typed, _caller, { cobrowse }) {
      const search = typed.trim();
      const found = await cobrowse.listVisitors({
        ...(search === '' ? {} : { search }),
        limit: MOST_CHOICES,
      });
      return found.map(visitorChoice).filter(({ value }) => value.length <= 75);
    },
  },
};
