import { z } from 'zod';
import { ACTS, Rule } from './acts.ts';
import type { Act, Rules } from './acts.ts';
import { Access, lesser } from './access.ts';

/** A rule that can't be read names no one, so it's admins only. */
const StoredRule = Rule.catch({ members: false, ids: [] });

/** What a workspace's admins set in the App Home. A field that can't be read gets its default. */
export const WorkspaceSettings = z.object({
  /** The most access any link gives. */
  maxAccess: Access.catch('full').default('full'),
  /** The access Watch gives in channels without an override. */
  defaultAccess: Access.catch('full').default('full'),
  /** The access Watch gives in a channel, by its id. */
  channelAccess: z.record(z.string(), Access).catch({}).default({}),
  /** Who can do what; for anything without a rule here, the app's configuration decides. */
  rules: z.partialRecord(z.enum(ACTS), StoredRule).default({}),
});
export type WorkspaceSettings = z.infer<typeof WorkspaceSettings>;

/** The settings, with the rule in force for each act. */
export type SettingsNow = Omit<WorkspaceSettings, 'rules'> & { readonly rules: Rules };

/** The access Watch gives in a channel: its override, otherwise the workspace's default, never above the maximum. */
export function defaultAccessIn(settings: WorkspaceSettings, channelId: string | undefined): Access {
  const { channelAccess } = settings;
  const isNamed = channelId !== undefined && Object.hasOwn(channelAccess, channelId);
  const override = isNamed ? channelAccess[channelId] : undefined;
  return lesser(override ?? settings.defaultAccess, settings.maxAccess);
}

/** Who can do what in a workspace: as its admins set it, otherwise as the app was configured. */
export function rulesIn({ rules }: Pick<WorkspaceSettings, 'rules'>, usual: Rules): Rules {
  return {
    watch: rules.watch ?? usual.watch,
    stop: rules.stop ?? usual.stop,
    delete: rules.delete ?? usual.delete,
    usage: rules.usage ?? usual.usage,
  };
}

/** The name under which the rule for an act is stored. */
export const settingOf = (act: Act): string => `may-${act}`;
