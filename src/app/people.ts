import { createHash } from 'node:crypto';
import { CobrowseError } from '../cobrowse/errors.ts';
import type { People } from '../slack/people.ts';
import { createAgentRecords } from '../watch/agent-records.ts';
import { createAgents } from '../watch/agents.ts';
import type { Agents } from '../watch/agents.ts';
import type { Ground } from './ground.ts';

interface JoinedPeople {
  readonly people: People;
  readonly agents: Agents;
}

/** With another key, which may be another account's, who is whom is asked anew. */
function accountIdOf({ config }: Ground): string {
  const { cloud } = config.cobrowse;
  if (cloud === undefined) return 'none';
  return createHash('sha256').update(cloud.apiKey).digest('base64url').slice(0, 22);
}

/** Who people are: to Slack in the workspace of the app, and to the service. */
export function joinPeople(ground: Ground, patienceMs: number | undefined): JoinedPeople {
  const { directory, cobrowse, database, now, log } = ground;
  const profile = directory.profileOf;
  const agents = createAgents({
    records: createAgentRecords(database),
    accountId: accountIdOf(ground),
    profileOf: profile,
    // An installation without the cloud knows no agents: there everybody is who Slack says they are.
    async lookupAgent(key, options) {
      if (cobrowse.offers.lookupAgent) return cobrowse.lookupAgent(key, options);
      throw new CobrowseError('not-found', 'This deployment has no agents to look up.');
    },
    now,
    patienceMs,
    report: (error) => log.warn({ err: error }, 'the agent of a Slack user could not be looked up'),
    changed: (change) => log.info(change, 'a Slack user is another agent of the service from now on'),
  });
  async function profileOf(workspaceId: string, userId: string) {
    const found = await profile(workspaceId, userId);
    agents.noticeProfile(workspaceId, userId, found);
    return found;
  }
  return {
    agents,
    people: {
      profileOf,
      emailOf: async (workspaceId, userId) => (await profileOf(workspaceId, userId)).email,
    },
  };
}
