import type { WebClient } from '@slack/web-api';
import type { Caller, Viewer } from '../commands/caller.ts';
import { defineCommand } from '../commands/command.ts';
import { freeText } from '../commands/typed.ts';
import type { Database } from '../database/database.ts';
import { isServedAlone, sqliteFile } from '../database/open.ts';
import { adminsOnlyCommand, findingsReport } from './findings.ts';
import { readSubscriptions } from '../subscriptions/repository.ts';
import { readUndelivered } from './check-deliveries.ts';
import { examineInstallation } from './examine.ts';
import type { Examined } from './examine.ts';

/** What the doctor examines, beside the caller's workspace. */
export interface Setup extends Pick<Examined, 'warnings' | 'publicUrl' | 'probeTickets'> {
  readonly storeUrl: string;
  readonly database: Database;
  readonly slackOf: (client: WebClient) => Examined['slack'];
}

export function createDoctorCommand({
  storeUrl,
  database,
  slackOf,
  canSee,
  now,
  ...setup
}: Setup & {
  /** Whether a person can see a channel: no other is named. Never rejects. */
  readonly canSee: (viewer: Viewer, channelId: string) => Promise<boolean>;
  readonly now: () => number;
}) {
  const examine = (caller: Caller) => {
    const { userId, workspace } = caller;
    const { id, slack, cobrowse, serviceUrls, defaults } = workspace;
    return examineInstallation({
      ...setup,
      slack: slackOf(slack),
      cobrowse,
      serviceUrl: serviceUrls[0],
      summaryChannel: defaults.summaryChannel,
      subscriptions: () => readSubscriptions(database, id),
      mayKnow: async (channelId, setUpBy) => setUpBy.includes(userId) || canSee(caller, channelId),
      async undelivered() {
        // What a damaged table doesn't show isn't delivered for that.
        await database.check();
        return readUndelivered(database, now, id);
      },
      store: {
        check: () => database.check(),
        file: sqliteFile(storeUrl),
        isOnServer: !isServedAlone(storeUrl),
        isNew: false,
      },
      now,
    });
  };

  return defineCommand({
    name: 'doctor',
    usage: 'doctor',
    summary: 'Check the setup and suggest fixes (admins only)',
    right: { admins: 'doctor', refused: adminsOnlyCommand },
    level: 'admin',
    argument: freeText,
    run: async (_nothing, caller) => findingsReport(await examine(caller)),
  });
}
