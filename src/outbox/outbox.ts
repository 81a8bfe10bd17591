import type { AttemptParts } from './attempt.ts';
import { endAsking, firstAsking, wakeWorkers } from './channels.ts';
import { createIds, type Kind } from './delivery.ts';
import { createHolds, firstToken, type TokenAnswer } from '../workspaces/holds.ts';
import { createOverview } from './overview.ts';
import { createTelling, type Report } from './outcome.ts';
import { deliveryRemovals } from './retention.ts';
import { createRetryAndDrop } from './retry-and-drop.ts';
import { createWorker, type Job } from './worker.ts';

interface OutboxParts extends Pick<AttemptParts, 'database' | 'transport' | 'now'> {
  readonly askAboutToken: (workspaceId: string) => Promise<TokenAnswer>;
  /** Called with a workspace where the app turned out to be gone, or back. */
  readonly changed: (workspaceId: string) => void;
  readonly singleProcess: boolean;
  readonly reports: { readonly delivery: Report; readonly blind: AttemptParts['blind'] };
}

/** The only way into Slack that's at least once. Rooms register the kinds of what they deliver, and jobs, before it starts. */
export function createOutbox(parts: OutboxParts) {
  const { database, transport, reports, now } = parts;
  const background = database.inBackground();
  const kinds = new Map<string, Kind>();
  const telling = createTelling(kinds, reports.delivery);
  const delivering = { ...parts, ...reports, database: background, kinds, telling };
  const holds = createHolds({ ...delivering, ask: parts.askAboutToken });
  const jobs: Job[] = [
    { name: 'tokens', nextRun: firstToken, run: holds.askWhoIsDue },
    { name: 'asking', nextRun: firstAsking, run: () => endAsking(background, now()) },
  ];
  const worker = createWorker({ ...delivering, jobs });
  const wakeAll = () => wakeWorkers(background);

  return {
    ...worker,
    newId: createIds(now),
    /** Makes all processes look for what is due. */
    wakeAll,
    removals: deliveryRemovals,
    register: (kind: Kind): void => void kinds.set(kind.name, kind),
    addJob: (job: Job): void => void jobs.push(job),
    /** Asks Slack about a workspace's token, which may be refused. */
    markTokenUncertain: holds.markUncertain,
    overview: createOverview({ database, paceMs: transport.paceMs, now }),
    retryAndDrop: createRetryAndDrop({ ...delivering, database }, wakeAll),
  };
}

export type Outbox = ReturnType<typeof createOutbox>;
