import type { WebClient } from '@slack/web-api';
import { defineCommand } from '../commands/command.ts';
import type { Caller, Viewer } from '../commands/rights.ts';
import { nothing } from '../commands/typed.ts';
import { refusal } from '../messages/message.ts';
import { code } from '../messages/text.ts';
import type { App } from '../parts.ts';
import { readSubscriptions } from '../subscriptions/repository.ts';
import { operatorChecks, type OperatorParts } from './check-operator.ts';
import {
  channelsCheck,
  deliveriesCheck,
  readUndelivered,
  serviceCheck,
  slackCheck,
  type SlackSetup,
} from './checks.ts';
import { examineSetup, findingsReport, type Finding } from './findings.ts';

export interface Setup extends Pick<OperatorParts, 'publicUrl' | 'probeTickets' | 'storeUrl'> {
  readonly warnings: readonly string[];
  readonly slackOf: (client: WebClient) => SlackSetup;
}

/** It names channels and addresses that not everyone can see. */
const adminsOnly = () =>
  refusal(
    ['Only workspace admins and owners can run this.'],
    ['Ask one of them. On the app’s server, ', code('npm run doctor'), ' does the same.'],
  );

/** @param canSee whether a person can see a channel: no other is named. Never rejects */
export function createDoctorCommand(
  { database, slackAgent, now }: Pick<App, 'database' | 'slackAgent' | 'now'>,
  setup: Setup,
  canSee: (viewer: Viewer, channelId: string) => Promise<boolean>,
) {
  const { slackOf, warnings } = setup;

  async function examineFor(caller: Caller): Promise<readonly Finding[]> {
    const { userId, workspace } = caller;
    const { id, cobrowse } = workspace;
    const slack = slackOf(workspace.slack);
    const checks = [
      slackCheck(slack),
      channelsCheck({
        stateOf: slack.stateOf,
        summaryChannel: (await workspace.settings().catch(() => workspace.defaults)).summaryChannel,
        subscriptions: () => readSubscriptions(database, id),
        mayKnow: async (channelId, setUpBy) => setUpBy.includes(userId) || canSee(caller, channelId),
      }),
      deliveriesCheck(async () => {
        // A damaged table may show nothing of what waits.
        await database.check();
        return readUndelivered(database, now, id);
      }),
      ...serviceCheck(cobrowse),
    ];
    // A workspace that installed the app is shown its own findings, and the operator theirs.
    if (slack.installUrl !== undefined) return examineSetup([], checks);
    const ofOperator = operatorChecks({
      ...setup,
      slack,
      dispatcher: slackAgent,
      serviceUrl: workspace.serviceUrls[0],
      store: { check: () => database.check(), isNew: false },
      now,
    });
    return examineSetup(warnings, [...checks, ...ofOperator]);
  }

  return defineCommand({
    name: 'doctor',
    usage: 'doctor',
    summary: 'Check the setup and suggest fixes (admins only)',
    right: { admins: 'doctor', refused: adminsOnly },
    level: 'admin',
    argument: nothing('The doctor always checks everything.'),
    run: async (_nothing, caller) => findingsReport(await examineFor(caller)),
  });
}
