import { z } from 'zod';
import { ACTS, Rule } from './acts.ts';
import type { Act, Rules } from './acts.ts';
import { Power, lesser } from './power.ts';

/** A rule that cannot be read names nobody: admins alone may. */
const StoredRule = Rule.catch({ members: false, ids: [] });

/** What a workspace's admins set in the App Home. A field that cannot be read is its default. */
export const WorkspaceSettings = z.object({
  /** No link grants more than this. */
  mostPower: Power.catch('full').default('full'),
  /** What Watch grants where the channel has no word of its own. */
  usualPower: Power.catch('full').default('full'),
  /** What Watch grants in a channel, by its id. */
  channelPower: z.record(z.string(), Power).catch({}).default({}),
  /** Who may do what; for an act without a rule the app's own settings count. */
  rules: z.partialRecord(z.enum(ACTS), StoredRule).default({}),
});
export type WorkspaceSettings = z.infer<typeof WorkspaceSettings>;

/** The settings with the rule that counts for each act. */
export type SettingsNow = Omit<WorkspaceSettings, 'rules'> & { readonly rules: Rules };

/** What Watch grants in a channel: its own power, else the workspace's, never above the bound. */
export function usualPowerIn(settings: WorkspaceSettings, channelId: string | undefined): Power {
  const { channelPower } = settings;
  const isNamed = channelId !== undefined && Object.hasOwn(channelPower, channelId);
  const own = isNamed ? channelPower[channelId] : undefined;
  return lesser(own ?? settings.usualPower, settings.mostPower);
}

/** Who may do what in a workspace: as its admins said, else as the app was set up. */
export function rulesIn({ rules }: Pick<WorkspaceSettings, 'rules'>, usual: Rules): Rules {
  return {
    watch: rules.watch ?? usual.watch,
    stop: rules.stop ?? usual.stop,
    delete: rules.delete ?? usual.delete,
    usage: rules.usage ?? usual.usage,
  };
}

/** What the rule of who may do something is called. */
export const settingOf = (act: Act): string => `may-${act}`;
