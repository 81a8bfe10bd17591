import type { Services } from '../commands/services.ts';
import type { WatchLinks } from '../grants/watch-links.ts';
import type { StopRecords } from '../session-end/stops.ts';
import { createFileSender } from '../slack/file-sender.ts';
import type { People } from '../slack/people.ts';
import { sqliteFile } from '../database/open.ts';
import { externalIdOf } from '../watch/agents.ts';
import { createRecording } from '../audit/recording.ts';
import { createDoctor } from './doctor.ts';
import type { Ground } from './ground.ts';
import type { Rights } from './rights.ts';
import type { JoinedSubscriptions } from './subscriptions.ts';

export type WatchServices =
  | 'visitorTools'
  | 'pressTarget'
  | 'startOptions'
  | 'addressMakesLink'
  | 'provePress'
  | 'linkAtPress';

interface ServicesParts {
  readonly ground: Ground;
  readonly watching: Pick<Services, WatchServices>;
  readonly people: People;
  readonly stops: StopRecords;
  readonly links: WatchLinks;
  readonly rights: Rights;
  readonly subscriptions: Pick<JoinedSubscriptions, 'desk'>;
}

/** A session that lasts longer is rare, and the service has ended an idle one by then. */
const IN_USE_MS = 8 * 60 * 60 * 1_000;

/** What commands may use. */
export function joinServices(parts: ServicesParts): Services {
  const { ground, watching, people, stops, links, rights, subscriptions } = parts;
  const { cobrowse, slack, now, log, audit } = ground;
  const { visitorTools, pressTarget, startOptions, addressMakesLink, provePress, linkAtPress } = watching;
  const recording = createRecording(audit, (error) =>
    log.error({ err: error }, 'the audit could not be written'),
  );
  return {
    cobrowse,
    visitorTools,
    pressTarget,
    startOptions,
    addressMakesLink,
    provePress,
    linkAtPress,
    emailOf: (workspaceId, userId) => people.emailOf(workspaceId, userId),
    externalIdOf,
    recordingStop: (visitorId, caller, stop) =>
      recording.around(caller, { action: 'stop', visitorId }, () => stops.around(visitorId, caller, stop)),
    ...rights,
    async linksInUse(workspaceId, visitorId) {
      const inUse = await links.inUse(workspaceId, visitorId, now() - IN_USE_MS);
      return inUse.map(({ userId, at }) => ({ userId, at: new Date(at) }));
    },
    examine: createDoctor({
      ...ground,
      store: { storage: ground.storage, file: sqliteFile(ground.config.storeUrl), isNew: false },
    }),
    subscriptions: subscriptions.desk,
    record: (entry) => audit.record(entry),
    audit,
    sendFile: createFileSender(async () => slack),
    now,
    recording,
  };
}
