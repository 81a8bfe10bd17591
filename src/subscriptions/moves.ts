import { ACTS } from '../grants/acts.ts';
import { movedFrom } from '../grants/moved-channels.ts';
import { settingOf } from '../grants/setting-changes.ts';
import type { ChangeSettings, SettingChange } from '../grants/setting-changes.ts';
import { WorkspaceSettings } from '../grants/settings.ts';
import type { Store } from '../storage/store.ts';
import type { SubscriptionBook } from './book.ts';

/** What was on its way when the id changed has long arrived by then. */
const REMEMBERED_MS = 90 * 24 * 60 * 60 * 1_000;

interface MovesParts {
  readonly book: SubscriptionBook;
  readonly changeSettings: ChangeSettings;
  readonly moves: Store;
}

/** Channels that Slack gave another id, as it does to a private one that is shared with another organisation. */
export interface Moves {
  /** Takes everything that hangs on the channel along. The same news again changes nothing. */
  readonly moved: (workspaceId: string, from: string, to: string) => Promise<void>;
}

/** What names the channel by its new id now. */
function changesOf(before: WorkspaceSettings, after: WorkspaceSettings): readonly SettingChange[] {
  const rules = ACTS.map((act) => ({
    setting: settingOf(act),
    from: before.rules[act],
    to: after.rules[act],
  }));
  const power = { setting: 'channelPower', from: before.channelPower, to: after.channelPower };
  return [power, ...rules].filter(({ from, to }) => JSON.stringify(from) !== JSON.stringify(to));
}

export function createMoves({ book, changeSettings, moves }: MovesParts): Moves {
  /** What Watch grants there, and who may do what as its member. */
  async function moveSettings(workspaceId: string, from: string, to: string): Promise<void> {
    const renamed = (id: string) => (id === from ? to : id);
    await changeSettings({ workspaceId, userId: '' }, (before) => {
      const power = Object.entries(before.channelPower).map(([id, own]) => [renamed(id), own]);
      const rules = Object.entries(before.rules).map(([act, rule]) => [
        act,
        { ...rule, ids: rule.ids.map(renamed) },
      ]);
      const moved = WorkspaceSettings.parse({
        ...before,
        channelPower: Object.fromEntries(power),
        rules: Object.fromEntries(rules),
      });
      const changes = changesOf(before, moved);
      return { after: changes.length === 0 ? before : moved, changes };
    });
  }

  return {
    async moved(workspaceId, from, to) {
      // A channel may get an id back that it had: what led away from it would lead round in a circle.
      await moves.delete(movedFrom(workspaceId, to));
      await moves.set(movedFrom(workspaceId, from), to, REMEMBERED_MS);
      for (const { id, channelId } of await book.of(workspaceId)) {
        if (channelId === from)
          await book.change(workspaceId, id, (latest) => ({ ...latest, channelId: to }));
      }
      await moveSettings(workspaceId, from, to);
    },
  };
}
