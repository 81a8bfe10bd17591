import type { Audit } from '../audit/audit.ts';
import type { Recording } from '../audit/recording.ts';
import type { MayAct } from '../permissions/acts.ts';
import { createDeleteCommand } from './delete.ts';
import { createFindCommand } from './find.ts';
import { createOnItPress } from './on-it.ts';
import type { OnIt } from './on-it.ts';
import { createOnlineNoticePresses } from './online-notice.ts';
import type { OnlineRequests } from './online-requests.ts';
import { createVisitorCommand } from './visitor.ts';
import type { Showing } from './visitor.ts';

/** The commands that find, show and delete visitors, and the buttons of those who wait for help or are away. */
export function createVisitors({
  showing,
  recording,
  onIt,
  onlineRequests,
  emailOf,
  profileOf,
  mayAct,
  record,
  now,
}: {
  readonly showing: Showing;
  readonly recording: Pick<Recording, 'search' | 'announced'>;
  readonly onIt: Pick<OnIt, 'toggle'>;
  readonly onlineRequests: Pick<OnlineRequests, 'ask' | 'cancel'>;
  /** The email in a Slack profile; undefined if it shows none. */
  readonly emailOf: (workspaceId: string, userId: string) => Promise<string | undefined>;
  readonly profileOf: (workspaceId: string, userId: string) => Promise<{ readonly utcOffsetSeconds: number }>;
  readonly mayAct: MayAct;
  readonly record: Audit['record'];
  /** Milliseconds since 1970. */
  readonly now: () => number;
}) {
  return {
    /** Also what a text without a subcommand runs. */
    find: createFindCommand({ ...showing, emailOf }),
    visitor: createVisitorCommand(showing, [
      createOnItPress(onIt, showing, record),
      ...createOnlineNoticePresses({ ...showing, onlineRequests, profileOf, record, now }),
    ]),
    delete: createDeleteCommand({ mayAct, recording }),
  };
}
