import { expect, it } from 'vitest';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { personIn } from '../support/person.ts';
import { JSON_TYPE, signedSender } from '../support/signed.ts';

const RANDOM = 'C0RANDOM003';
const { sandbox } = checkedSandbox();

it('takes an event of a shared channel for one of the workspace that it was sent to', async () => {
  const alex = personIn(sandbox());
  await alex.type('/cobrowse subscribe #random');
  const event = { type: 'channel_id_changed', old_channel_id: RANDOM, new_channel_id: 'C0MOVED0001' };
  const body = JSON.stringify({
    type: 'event_callback',
    team_id: 'T0GLOBEX000',
    event_id: 'Ev1',
    authorizations: [{ team_id: 'T0ACME00000', user_id: 'U0COBROWSE', is_bot: true }],
    event,
  });
  expect((await signedSender(sandbox())(body, { 'content-type': JSON_TYPE })).status).toBe(200);
  await expect
    .poll(async () => (await alex.type('/cobrowse subscriptions')).text)
    .toContain('<#C0MOVED0001>');
});
