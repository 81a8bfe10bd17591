import { randomUUID } from 'node:crypto';
import type { Services } from '../commands/services.ts';
import { createDeletionRecord } from '../grants/deletions.ts';
import { createDeleteRight } from '../grants/rights.ts';
import type { SettingsBook } from '../grants/settings.ts';
import type { StopRecords } from '../session-end/stops.ts';
import { externalIdOf } from '../slack/people.ts';
import type { People } from '../slack/people.ts';
import { createGroupCheck } from '../slack/user-groups.ts';
import type { Ground } from './ground.ts';

interface ServicesParts {
  readonly ground: Ground;
  readonly watching: Pick<Services, 'visitorTools' | 'pressTarget' | 'startOptions' | 'linkAtPress'>;
  readonly people: People;
  readonly stops: StopRecords;
  readonly settings: SettingsBook;
}

/** What commands may use. */
export function joinServices({ ground, watching, people, stops, settings }: ServicesParts): Services {
  const { cobrowse, slack, storage, now, log } = ground;
  const { visitorTools, pressTarget, startOptions, linkAtPress } = watching;
  const record = createDeletionRecord({ store: storage.store('deletions'), now, newId: randomUUID });
  return {
    cobrowse,
    visitorTools,
    pressTarget,
    startOptions,
    linkAtPress,
    emailOf: (workspaceId, userId) => people.emailOf(workspaceId, userId),
    externalIdOf,
    recordingStop: (visitorId, caller, stop) => stops.around(visitorId, caller, stop),
    mayDelete: createDeleteRight({
      settings,
      isAdmin: async (workspaceId, userId) => (await people.profileOf(workspaceId, userId)).isAdmin,
      isInGroup: createGroupCheck(async () => slack),
    }),
    async recordDeletion(caller, what, count) {
      const { workspaceId, userId } = caller;
      log.info({ workspaceId, userId, what, count }, 'visitors deleted');
      await record(caller, what, count);
    },
  };
}
