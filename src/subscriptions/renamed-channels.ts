import { moveChannel, movedChannels } from '../outbox/channels.ts';
import type { App } from '../parts.ts';
import { ACTS } from '../permissions/permissions.ts';
import { settingOf, channelSetting, type KeptSettings, type SettingChange } from '../workspaces/settings.ts';
import type { SubscriptionRepository } from './repository.ts';

/** How often a change is retried if someone else changes the same setting. */
const MOST_TRIES = 10;

function changesIn({ settings, kept }: KeptSettings, from: string, to: string): readonly SettingChange[] {
  const rules = ACTS.flatMap((act) => {
    const rule = settings.rules[act];
    if (rule === undefined || !rule.ids.includes(from)) return [];
    const ids = new Set(rule.ids.map((id) => (id === from ? to : id)));
    const [name, value] = [settingOf(act), { ...rule, ids: [...ids] }];
    return [{ name, value, version: kept(name).version, recorded: { setting: name, from: rule, to: value } }];
  });
  const access = settings.channelAccess[from];
  if (access === undefined) return rules;
  const [old, fresh] = [channelSetting(from), channelSetting(to)];
  const recorded = { setting: 'channelAccess', from: { [from]: access }, to: { [to]: access } };
  return [
    ...rules,
    { name: fresh, value: access, version: kept(fresh).version, recorded },
    // Last: until then the old id holds the channel's access.
    { name: old, value: null, version: kept(old).version },
  ];
}

/**
 * Moves subscriptions and settings to a channel's new id: Slack changes it when a private channel is shared with another
 * organization. Slack says so once, so each is retried until it's done.
 */
export function createRenamedChannels(
  { database, settings, now }: Pick<App, 'database' | 'settings' | 'now'>,
  repository: Pick<SubscriptionRepository, 'moveChannel'>,
  wake: () => void,
  report: (error: unknown) => void,
) {
  const left = new Set<() => Promise<void>>();
  let last = Promise.resolve();
  let isBegun = false;

  /** The access that Watch gives there, and rules that name its members. Retries if an admin changes them meanwhile. */
  async function moveSettings(workspaceId: string, from: string, to: string): Promise<void> {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const changes = changesIn(await settings.read(workspaceId), from, to);
      if (changes.length === 0) return;
      for (const change of changes)
        if ((await settings.change({ workspaceId, userId: '' }, change)) !== 'changed') break;
    }
    throw new Error('The settings of a channel with a new id are changed again and again.');
  }

  async function moveRest(workspaceId: string, from: string, to: string): Promise<void> {
    await repository.moveChannel(workspaceId, from, to);
    await moveSettings(workspaceId, from, to);
  }

  async function round(): Promise<void> {
    for (const one of left) await one().then(() => left.delete(one), report);
  }

  /** One round at a time, so that the order is kept. */
  const moveAll = (): Promise<void> => (last = last.then(round));

  return {
    /** Resolves after the first try, whatever came of it. */
    moved: (workspaceId: string, from: string, to: string): Promise<void> => {
      left.add(async () => {
        // First: from here on, looking up the channel gives the new id.
        await database.write(...moveChannel(workspaceId, from, to, now()));
        await moveRest(workspaceId, from, to);
        wake();
      });
      return moveAll();
    },
    /** Retries what's left. The channel's row keeps where it went, so what an earlier process didn't finish goes on, too. */
    again: async (): Promise<void> => {
      const moved = isBegun ? [] : await movedChannels(database);
      isBegun = true;
      for (const { workspaceId, channelId, movedTo } of moved)
        left.add(() => moveRest(workspaceId, channelId, movedTo));
      await moveAll();
    },
  };
}
