import { z } from 'zod';
import type { Store } from '../storage/store.ts';
import { ACTS, Rule } from './acts.ts';
import type { Rules } from './acts.ts';
import { Power, lesser } from './power.ts';

/** A rule that cannot be read names nobody: admins alone may. */
const StoredRule = Rule.catch({ members: false, ids: [] });

/** Settings as they were stored when only who may delete was said, beside the admins: `deleters`, by id. */
const WithDeleters = z.looseObject({ deleters: z.array(z.string()).min(1), rules: z.undefined().optional() });

function withRules(stored: unknown): unknown {
  const old = WithDeleters.safeParse(stored);
  if (!old.success) return stored;
  return { ...old.data, rules: { delete: { members: false, ids: old.data.deleters } } };
}

/** What a workspace's admins set in the App Home. A field that cannot be read is its default. */
export const WorkspaceSettings = z.preprocess(
  withRules,
  z.object({
    /** No link grants more than this. */
    mostPower: Power.catch('full').default('full'),
    /** What Watch grants where the channel has no word of its own. */
    usualPower: Power.catch('full').default('full'),
    /** What Watch grants in a channel, by its id. */
    channelPower: z.record(z.string(), Power).catch({}).default({}),
    /** Who may do what; for an act without a rule the app's own settings count. */
    rules: z.partialRecord(z.enum(ACTS), StoredRule).default({}),
  }),
);
export type WorkspaceSettings = z.infer<typeof WorkspaceSettings>;

/** The settings with the rule that counts for each act. */
export type SettingsNow = Omit<WorkspaceSettings, 'rules'> & { readonly rules: Rules };

/** The settings of workspaces, durable. */
export interface SettingsBook {
  of(workspaceId: string): Promise<WorkspaceSettings>;
  /** What `change` gives back is written, one change after the other; nothing is where it rejects. */
  change(
    workspaceId: string,
    change: (before: WorkspaceSettings) => WorkspaceSettings | Promise<WorkspaceSettings>,
  ): Promise<WorkspaceSettings>;
}

export function createSettingsBook(store: Store): SettingsBook {
  const of = async (workspaceId: string) => WorkspaceSettings.parse((await store.get(workspaceId)) ?? {});
  /** A change reads and then writes: one at a time for all, since there are few. */
  let last: Promise<unknown> = Promise.resolve();

  return {
    of,
    change(workspaceId, change) {
      const own = last.then(async () => {
        const before = await of(workspaceId);
        const after = await change(before);
        if (after !== before) await store.set(workspaceId, after);
        return after;
      });
      last = own.catch(() => undefined);
      return own;
    },
  };
}

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
