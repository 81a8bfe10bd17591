import { describe, expect, it } from 'vitest';
import { CONFIRMING_WORD } from '../../src/visitors/delete.ts';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { signedSender } from '../support/signed.ts';

const ERIN = 'U0ERIN00006';
const ours = 'T0ACME00000';
const hers = 'T0GLOBEX000';
const jane = 'jane4821';
const input = (value: string) => ({ x: { type: 'plain_text_input', value } });

/** As Slack sends it from a modal: with the organization of the person, and the app's workspace in the view. */
const from = (type: string, view: object, more: object = {}) => ({
  type,
  team: { id: hers, domain: 'globex' },
  user: { id: ERIN, team_id: hers },
  trigger_id: '1.2.3',
  view: {
    id: 'V0NONE',
    type: 'modal',
    private_metadata: JSON.stringify({ channelId: 'C0SHARED004', about: jane }),
    app_installed_team_id: ours,
    state: { values: {} },
    ...view,
  },
  ...more,
});
const form = (callback_id: string, values: object = {}) =>
  from('view_submission', { callback_id, state: { values } });
const press = (action_id: string, value: string) =>
  from('block_actions', {}, { actions: [{ type: 'button', action_id, action_ts: '1.2', value }] });

describe('a person from another organization, in a modal they shouldn’t have', () => {
  const clock = { ahead: 0 };
  const { sandbox } = checkedSandbox({ now: () => Date.now() + clock.ahead });

  it.each([
    ['stops no session', form('stop_form')],
    ['deletes nobody', form('delete_offline_form', { typed: input(CONFIRMING_WORD) })],
    ['finds nobody', form('start_form', { visitor: input(jane) })],
    ['sees nobody', press('visitor', jane)],
    ['sees no settings', press('home_settings', '')],
    ['changes no settings', press('home_edit_settings', '')],
    ['chooses no access', press('home_choose_view', 'view')],
    ['stops nobody by a button', press('stop', jane)],
    ['is suggested nobody', { ...from('block_suggestion', {}), action_id: 'visitor_search', value: 'jane' }],
  ])('%s', async (_, payload) => {
    const { service, slack } = sandbox();
    const calls = slack.calls.length;
    // What Slack told the previous test about her is out of date.
    clock.ahead += 5_000;
    const answer = await signedSender(sandbox())(`payload=${encodeURIComponent(JSON.stringify(payload))}`);
    expect(answer.status).toBe(200);
    // Slack was asked who she is: only then was there something to refuse.
    await expect.poll(() => slack.calls.slice(calls).map(({ method }) => method)).toContain('users.info');
    expect(service.requests).toEqual([]);
  });
});
