import type { Sandbox } from '../../sandbox/sandbox.ts';
import { signedSender } from '../support/signed.ts';

/** Sends the app an interaction as Slack would, signed; for what no one can do at the sandbox page. */
export const sendInteraction = (sandbox: Sandbox, payload: object): Promise<Response> =>
  signedSender(sandbox)(new URLSearchParams({ payload: JSON.stringify(payload) }).toString());

/** A press of one of our buttons, by its action. */
export const pressOf = (actionId: string, value: string, more: object) => ({
  type: 'block_actions',
  team: { id: 'T0ACME00000' },
  user: { id: 'U0ALEX00001', team_id: 'T0ACME00000' },
  trigger_id: 'none',
  actions: [{ type: 'button', action_id: actionId, block_id: 'b', value, action_ts: '1.000001' }],
  ...more,
});
