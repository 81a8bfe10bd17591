import { z } from 'zod';
import type { Store } from '../storage/store.ts';
import { Power, lesser } from './power.ts';

/** What a workspace's admins set in the App Home. A field that cannot be read is its default. */
export const WorkspaceSettings = z.object({
  /** No link grants more than this. */
  mostPower: Power.catch('full').default('full'),
  /** What Watch grants where the channel has no word of its own. */
  usualPower: Power.catch('full').default('full'),
  /** What Watch grants in a channel, by its id. */
  channelPower: z.record(z.string(), Power).catch({}).default({}),
  /** Who may delete visitors beside the workspace's admins: ids of users and user groups. */
  deleters: z.array(z.string()).catch([]).default([]),
});
export type WorkspaceSettings = z.infer<typeof WorkspaceSettings>;

/** The settings of workspaces, durable. */
export interface SettingsBook {
  of(workspaceId: string): Promise<WorkspaceSettings>;
  write(workspaceId: string, settings: WorkspaceSettings): Promise<void>;
}

export function createSettingsBook(store: Store): SettingsBook {
  return {
    of: async (workspaceId) => WorkspaceSettings.parse((await store.get(workspaceId)) ?? {}),
    write: (workspaceId, settings) => store.set(workspaceId, settings),
  };
}

/** What Watch grants in a channel: its own power, else the workspace's, never above the bound. */
export function usualPowerIn(settings: WorkspaceSettings, channelId: string | undefined): Power {
  const own = channelId === undefined ? undefined : settings.channelPower[channelId];
  return lesser(own ?? settings.usualPower, settings.mostPower);
}
