import { CobrowseError } from '../cobrowse/errors.ts';
import { createPeople } from '../slack/people.ts';
import type { People } from '../slack/people.ts';
import type { Ground } from './ground.ts';

/** Who people are: to Slack in the workspace of the app, and to the service. */
export function joinPeople({ directory, cobrowse, log }: Ground): People {
  return createPeople({
    profile: directory.profileOf,
    // An installation without the cloud knows no agents: there everybody is who Slack says they are.
    async lookupAgent(key) {
      if (cobrowse.offers.lookupAgent) return cobrowse.lookupAgent(key);
      throw new CobrowseError('not-found', 'This deployment has no agents to look up.');
    },
    report: (error) => log.warn({ err: error }, 'the agent of a Slack user could not be looked up'),
  });
}
