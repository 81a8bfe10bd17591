import { z } from 'zod';
import { ACTS, Rule } from './acts.ts';
import type { Act, Rules } from './acts.ts';
import { Access, lesser } from './access.ts';

/** A rule that cannot be read names nobody: admins alone may. */
const StoredRule = Rule.catch({ members: false, ids: [] });

/** What a workspace's admins set in the App Home. A field that cannot be read is its default. */
export const WorkspaceSettings = z.object({
  /** No link grants more than this. */
  maxAccess: Access.catch('full').default('full'),
  /** The access Watch gives in channels without an override. */
  defaultAccess: Access.catch('full').default('full'),
  /** The access Watch gives in a channel, by its id. */
  channelAccess: z.record(z.string(), Access).catch({}).default({}),
  /** Who may do what; for an act without a rule the app's own settings count. */
  rules: z.partialRecord(z.enum(ACTS), StoredRule).default({}),
});
export type WorkspaceSettings = z.infer<typeof WorkspaceSettings>;

/** The settings with the rule that counts for each act. */
export type SettingsNow = Omit<WorkspaceSettings, 'rules'> & { readonly rules: Rules };

/** The access Watch gives in a channel: its override, else the workspace's default, never above the maximum. */
export function defaultAccessIn(settings: WorkspaceSettings, channelId: string | undefined): Access {
  const { channelAccess } = settings;
  const isNamed = channelId !== undefined && Object.hasOwn(channelAccess, channelId);
  const own = isNamed ? channelAccess[channelId] : undefined;
  return lesser(own ?? settings.defaultAccess, settings.maxAccess);
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
