import { z } from 'zod';
import type { Viewer } from '../commands/rights.ts';
import { jsonText, type Complaints, type Filled } from '../commands/command.ts';
import { inputs } from '../commands/inputs.ts';
import {
  button,
  buttons,
  done,
  lines,
  notice,
  points,
  type Message,
  type Part,
} from '../messages/message.ts';
import type { FormContent } from '../messages/modal.ts';
import { outdatedButton } from '../messages/failure-words.ts';
import { accessMeaning, accessTitle, accessWords } from '../messages/session-words.ts';
import { bold, say, type Line } from '../messages/text.ts';
import { Access, ACCESS_LEVELS, accessLevelsUpTo } from '../permissions/permissions.ts';
import {
  channelSetting,
  defaultAccessIn,
  type KeptSettings,
  type SettingChange,
  type SettingsRepository,
  type WorkspaceSettings,
} from '../workspaces/settings.ts';
import type { AdminForm } from './home-buttons.ts';
import { accessLines, changedMeanwhile, whoChanged } from './settings-list.ts';

const LEVELS = ACCESS_LEVELS.map((access) => [access, accessTitle(access), accessMeaning(access)] as const);
const { select, channel } = inputs;

const maximum = select('most_power', 'Maximum access', LEVELS, {
  hint: 'Applies immediately, to every link in this workspace.',
});
const usual = select('usual_power', 'Default access', LEVELS, {
  hint: 'The menu beside Watch offers the others, up to the maximum.',
});
const overridden = channel('channel', 'Channel override', {
  hint: 'To change the access in one channel, choose the channel here and its access below.',
  optional: true,
  placeholder: 'Choose a channel',
});
const override = select(
  'channel_power',
  'Access in that channel',
  [...LEVELS, ['none', 'Same as elsewhere'] as const],
  { hint: 'Applies until you change it here.', optional: true, placeholder: 'Choose access' },
);

export const settingsForm = ({ maxAccess, defaultAccess }: WorkspaceSettings): FormContent => ({
  submit: 'Save',
  blocks: [
    maximum.show(maxAccess),
    usual.show(defaultAccess),
    overridden.show(undefined),
    override.show(undefined),
  ],
});

function complaintsIn(filled: Filled): Complaints {
  const bound = maximum.read(filled) ?? 'full';
  const [channelId, access] = [overridden.read(filled), override.read(filled)];
  const exceeds = (one: Access | 'none' | undefined) =>
    ACCESS_LEVELS.findIndex((known) => known === one) > ACCESS_LEVELS.indexOf(bound) &&
    `This is more than the maximum above: ${accessWords(bound)}.`;
  return {
    [usual.block]: exceeds(usual.read(filled)),
    [overridden.block]: channelId === undefined && access !== undefined && 'Choose the channel this is for.',
    [override.block]:
      channelId !== undefined && access === undefined
        ? 'Choose the access there, or remove the channel.'
        : exceeds(access),
  };
}

const Shown = z.object({ value: Access, version: z.number() });
const ShownSettings = jsonText.pipe(z.object({ maxAccess: Shown, defaultAccess: Shown }));
type ShownSettings = z.infer<typeof ShownSettings>;

const shownOf = ({ settings, kept }: KeptSettings): ShownSettings => ({
  maxAccess: { value: settings.maxAccess, version: kept('maxAccess').version },
  defaultAccess: { value: settings.defaultAccess, version: kept('defaultAccess').version },
});

/** What the admin changed. A field left as it was isn't saved, even if someone else changed it meanwhile. */
function changesIn(filled: Filled, shown: ShownSettings, now: KeptSettings): readonly SettingChange[] {
  const chosen = { maxAccess: maximum.read(filled), defaultAccess: usual.read(filled) };
  const levels = (['maxAccess', 'defaultAccess'] as const).flatMap((setting): SettingChange[] => {
    const { value: from, version } = shown[setting];
    const to = chosen[setting];
    if (to === undefined || to === from) return [];
    return [{ name: setting, value: to, version, recorded: { setting, from, to } }];
  });
  const channelId = overridden.read(filled);
  if (channelId === undefined) return levels;
  const { data: access } = Access.safeParse(override.read(filled));
  const own = now.settings.channelAccess[channelId];
  if (access === own) return levels;
  const name = channelSetting(channelId);
  // JSON leaves out what is undefined.
  const recorded = { setting: 'channelAccess', from: { [channelId]: own }, to: { [channelId]: access } };
  return [...levels, { name, value: access ?? null, version: now.kept(name).version, recorded }];
}

/** What Watch gives in a workspace: by default, and at most. */
export interface AccessNow {
  readonly inForce: Access;
  readonly most: Access;
  /** Whether an admin chose the default; until then they're asked. */
  readonly isChosen: boolean;
}

const WHERE: Line = ['To change it, press Settings on the Home tab.'];

function choice(access: Access, inForce: Access) {
  const text = access === inForce ? `Keep ${accessWords(access)}` : accessTitle(access);
  return button({ text, actionId: `home_choose_${access}`, value: access, label: `${text} by default` });
}

/** Asks an admin for the default access, with what each means for the customer; empty once one of them chose. */
export function accessOffer({ inForce, most, isChosen }: AccessNow): readonly Part[] {
  const levels = accessLevelsUpTo(most);
  if (isChosen || levels.length === 1) return [];
  return [
    lines(
      [bold('Choose the default access')],
      [`Until an admin chooses, Watch gives ${accessWords(inForce)}.`],
    ),
    points(...levels.map((access): Line => [bold(`${accessTitle(access)}: `), accessMeaning(access)])),
    lines([
      `Agents can choose another one in the menu beside Watch, up to the maximum: ${accessWords(most)}.`,
    ]),
    buttons(...levels.map((access) => choice(access, inForce))),
  ];
}

export function accessNow(now: AccessNow): readonly Part[] {
  const offer = accessOffer(now);
  return offer.length > 0
    ? offer
    : [lines([bold('Default access: '), `${accessWords(now.inForce)}.`], WHERE)];
}

const DEFAULT = 'defaultAccess';

const SETTING_WORDS = new Map([
  ['maxAccess', 'the maximum access'],
  [DEFAULT, 'the default access'],
]);

export const settingsSaved = (settings: WorkspaceSettings): Message =>
  done(
    ['Settings saved. The maximum applies immediately, the default to new lists.'],
    ...accessLines(settings),
  );

/** The maximum and default access of a workspace, and each channel's. */
export function createAccess(settings: SettingsRepository) {
  async function now(workspaceId: string): Promise<AccessNow> {
    const { settings: own, kept } = await settings.read(workspaceId);
    const inForce = defaultAccessIn(own, undefined);
    return { inForce, most: own.maxAccess, isChosen: kept(DEFAULT).version > 0 };
  }

  const form: AdminForm = {
    callbackId: 'home_settings_form',
    act: () => 'settings',
    async open({ workspaceId }) {
      const found = await settings.read(workspaceId);
      return { title: 'Access', ...settingsForm(found.settings), seen: JSON.stringify(shownOf(found)) };
    },
    complaints: complaintsIn,
    async save(viewer, filled, _about, seen = '') {
      const found = await settings.read(viewer.workspaceId);
      // If that can't be read, it counts as opened now.
      const shown = ShownSettings.safeParse(seen).data ?? shownOf(found);
      const conflicts: (readonly [by: string, what: string])[] = [];
      for (const change of changesIn(filled, shown, found)) {
        const outcome = await settings.change(viewer, change);
        if (outcome !== 'changed')
          conflicts.push([outcome.by, SETTING_WORDS.get(change.name) ?? 'the access in that channel']);
      }
      const own = await settings.of(viewer.workspaceId);
      return conflicts.length === 0
        ? { saved: settingsSaved(own) }
        : changedMeanwhile(conflicts, ...accessLines(own));
    },
  };

  return {
    form,
    now,
    /** Chooses the default if no admin has; also where that keeps what is in force. */
    choose: async (viewer: Viewer, access: Access): Promise<Message> => {
      const { inForce: from, most } = await now(viewer.workspaceId);
      // Another admin lowered the maximum since the button was shown.
      if (!accessLevelsUpTo(most).includes(access)) return outdatedButton;
      const recorded = { setting: DEFAULT, from, to: access };
      // Version 0: only the first of several admins chooses.
      const outcome = await settings.change(viewer, { name: DEFAULT, value: access, version: 0, recorded });
      if (outcome === 'changed')
        return done([`Saved. Watch buttons in new lists: ${accessWords(access)}.`], WHERE);
      const { inForce } = await now(viewer.workspaceId);
      const words = bold(accessWords(inForce));
      return notice(
        say`${whoChanged(outcome.by)} already chose the default access: ${words}. Nothing changed.`,
        WHERE,
      );
    },
  };
}
