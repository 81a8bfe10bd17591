import { accessLevelsUpTo } from '../permissions/access.ts';
import type { Access } from '../permissions/access.ts';
import { defaultAccessIn } from '../permissions/settings.ts';
import { accessAlreadyChosen, accessChosen } from '../views/default-access.ts';
import type { AccessNow } from '../views/default-access.ts';
import { adminsOnly } from '../views/home-settings.ts';
import type { Message } from '../views/message.ts';
import { outdatedButton } from '../views/outdated.ts';
import type { SettingsParts } from './settings.ts';
import type { Viewer } from './viewer.ts';

/** The choice of the default access, which a workspace's admins are offered until one of them makes it. */
export interface DefaultAccess {
  now(workspaceId: string): Promise<AccessNow>;
  /** Makes the choice if no admin has; also where it keeps what is in force. Whoever isn't an admin is refused, on record. */
  choose(viewer: Viewer, access: Access): Promise<Message>;
}

const SETTING = 'defaultAccess';

export function createDefaultAccess({ settings, isAdmin }: SettingsParts): DefaultAccess {
  async function now(workspaceId: string): Promise<AccessNow> {
    const { settings: own, kept } = await settings.read(workspaceId);
    const inForce = defaultAccessIn(own, undefined);
    return { inForce, most: own.maxAccess, isChosen: kept(SETTING).version > 0 };
  }

  return {
    now,
    async choose(viewer, access) {
      if (!(await isAdmin(viewer, { act: 'settings' }))) return adminsOnly();
      const { inForce: from, most } = await now(viewer.workspaceId);
      // Another admin lowered the maximum since the button was shown.
      if (!accessLevelsUpTo(most).includes(access)) return outdatedButton;
      const recorded = { setting: SETTING, from, to: access };
      // Version 0: only the first of several admins chooses.
      const outcome = await settings.change(viewer, { name: SETTING, value: access, version: 0, recorded });
      if (outcome === 'changed') return accessChosen(access);
      return accessAlreadyChosen(outcome.by, (await now(viewer.workspaceId)).inForce);
    },
  };
}
