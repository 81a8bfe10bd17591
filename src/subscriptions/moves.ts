import { ACTS } from '../grants/acts.ts';
import { movedFrom } from '../grants/moved-channels.ts';
import { settingOf } from '../grants/settings.ts';
import { channelSetting } from '../grants/settings-repository.ts';
import type { KeptSettings, SettingChange, SettingsRepository } from '../grants/settings-repository.ts';
import type { Store } from '../storage/store.ts';
import type { SubscriptionRepository } from './repository.ts';

/** What was on its way when the id changed has long arrived by then. */
const REMEMBERED_MS = 90 * 24 * 60 * 60 * 1_000;

/** How often settings are looked at again that somebody else changes at the same time. */
const MOST_TRIES = 10;

interface MovesParts {
  readonly repository: Pick<SubscriptionRepository, 'moveChannel'>;
  readonly settings: Pick<SettingsRepository, 'read' | 'change'>;
  readonly moves: Store;
}

/** Channels that Slack gave another id, as it does to a private one that is shared with another organisation. */
export interface Moves {
  /** Takes everything that hangs on the channel along. The same news again changes nothing. */
  readonly moved: (workspaceId: string, from: string, to: string) => Promise<void>;
}

/** What is to name the channel by its new id. */
function changesIn({ settings, kept }: KeptSettings, from: string, to: string): readonly SettingChange[] {
  const rules = ACTS.flatMap((act) => {
    const rule = settings.rules[act];
    if (rule === undefined || !rule.ids.includes(from)) return [];
    const ids = new Set(rule.ids.map((id) => (id === from ? to : id)));
    const [name, value] = [settingOf(act), { ...rule, ids: [...ids] }];
    return [{ name, value, version: kept(name).version, recorded: { setting: name, from: rule, to: value } }];
  });
  const power = settings.channelPower[from];
  if (power === undefined) return rules;
  const [old, fresh] = [channelSetting(from), channelSetting(to)];
  const recorded = { setting: 'channelPower', from: { [from]: power }, to: { [to]: power } };
  return [
    ...rules,
    { name: fresh, value: power, version: kept(fresh).version, recorded },
    // Last: until then the old id says what the channel's power is.
    { name: old, value: null, version: kept(old).version },
  ];
}

export function createMoves({ repository, settings, moves }: MovesParts): Moves {
  /** What Watch grants there, and who may do what as its member. What an admin changes meanwhile is looked at again. */
  async function moveSettings(workspaceId: string, from: string, to: string): Promise<void> {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const changes = changesIn(await settings.read(workspaceId), from, to);
      if (changes.length === 0) return;
      for (const change of changes) {
        const outcome = await settings.change({ workspaceId, userId: '' }, change);
        if (outcome !== 'changed') break;
      }
    }
    throw new Error('The settings of a channel with a new id are changed again and again.');
  }

  return {
    async moved(workspaceId, from, to) {
      // A channel may get an id back that it had: what led away from it would lead round in a circle.
      await moves.delete(movedFrom(workspaceId, to));
      await moves.set(movedFrom(workspaceId, from), to, REMEMBERED_MS);
      await repository.moveChannel(workspaceId, from, to);
      await moveSettings(workspaceId, from, to);
    },
  };
}
