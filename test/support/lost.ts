import type { StandInSlack } from '../../sandbox/slack/slack.ts';
import type { Sent } from '../../sandbox/slack/web-api.ts';

/** What Slack says when somebody's action leads to nothing: no modal, no answer, no message. */
const LOST = new Set([
  'expired_trigger_id',
  'exchanged_trigger_id',
  'invalid_trigger_id',
  'expired_url',
  'used_url',
  'invalid_blocks',
  'msg_too_long',
  'no_text',
  'dispatch_failed',
  'operation_timeout',
]);

const isLost = ({ error, isPlanned }: Sent) =>
  error !== undefined && isPlanned === undefined && LOST.has(error);

/**
 * A look that throws as soon as Slack unexpectedly refused or lost something, since what we wait for then won't come.
 * @param from the first of Slack's calls to consider
 */
export function unlessLost<S, T>(
  { calls }: Pick<StandInSlack, 'calls'>,
  from: number,
  look: (state: S) => T,
): (state: S) => T {
  return (state) => {
    const seen = look(state);
    if (seen !== undefined && seen !== null && seen !== false) return seen;
    const lost = calls.slice(from).find(isLost);
    if (lost === undefined) return seen;
    throw new Error(
      `Slack did not take ${lost.method}: ${lost.error}\n${JSON.stringify(lost.args, null, 1)}`,
    );
  };
}
