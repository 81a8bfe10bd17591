import type { Services } from '../commands/services.ts';
import { RightUnknownError } from '../grants/acts.ts';
import { createMayAct } from '../grants/rights.ts';
import { rulesIn } from '../grants/settings.ts';
import type { SettingsRepository } from '../grants/settings-repository.ts';
import type { People } from '../slack/people.ts';
import type { Ground } from './ground.ts';

interface RightsParts {
  readonly ground: Pick<Ground, 'config' | 'directory'>;
  readonly people: People;
  readonly settings: SettingsRepository;
}

/** Who may do what, and who may say so. Both reject with a RightUnknownError where Slack cannot be asked. */
export type Rights = Pick<Services, 'mayAct' | 'isAdmin'>;

/** By the workspace's own rules, else by those this app was started with. */
export function joinRights({ ground, people, settings }: RightsParts): Rights {
  const { config, directory } = ground;
  return {
    mayAct: createMayAct({
      rulesOf: async (workspaceId) => rulesIn(await settings.of(workspaceId), config.rules),
      standingOf: (workspaceId, userId) => people.profileOf(workspaceId, userId),
      isInGroup: directory.isInGroup,
      isInChannel: directory.isInChannel,
    }),
    async isAdmin({ workspaceId, userId }) {
      try {
        return (await people.profileOf(workspaceId, userId)).isAdmin;
      } catch (error) {
        throw new RightUnknownError(error);
      }
    },
  };
}
