import { expect, it } from 'vitest';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { KIM, SALES, SAM, SUPPORT, personIn } from '../support/person.ts';
import { JSON_TYPE, signedSender } from '../support/signed.ts';

const BOT = 'U0COBROWSE';
const RANDOM = 'C0RANDOM003';
const { sandbox } = checkedSandbox();
const sendEvent = (body: object) =>
  signedSender(sandbox())(JSON.stringify(body), { 'content-type': JSON_TYPE });

it('assigns an event of a shared channel to the workspace it was sent to', async () => {
  const alex = personIn(sandbox());
  await alex.type('/cobrowse subscribe #random');
  const event = { type: 'channel_id_changed', old_channel_id: RANDOM, new_channel_id: 'C0MOVED0001' };
  const answer = await sendEvent({
    type: 'event_callback',
    team_id: 'T0GLOBEX000',
    event_id: 'Ev1',
    authorizations: [{ team_id: 'T0ACME00000', user_id: 'U0COBROWSE', is_bot: true }],
    event,
  });
  expect(answer.status).toBe(200);
  await expect
    .poll(async () => (await alex.type('/cobrowse subscriptions')).text)
    .toContain('<#C0MOVED0001>');
});

it('tells whoever added the app to a channel what it does there, but nobody when another person joins', async () => {
  const { slack } = sandbox();
  const thanks = () =>
    slack.snapshot(SAM).messages.filter(({ text }) => text.includes('Thanks for adding me'));
  slack.leave({ channel: SALES, user: BOT });
  slack.join({ channel: SALES, user: BOT, by: SAM });
  const [told] = await slack.until(SAM, () => (thanks().length === 1 ? thanks() : undefined));
  expect([told?.channel, told?.ephemeral]).toEqual([SALES, true]);
  slack.leave({ channel: SALES, user: KIM });
  slack.join({ channel: SALES, user: KIM, by: SAM });
  slack.leave({ channel: SUPPORT, user: BOT });
  slack.join({ channel: SUPPORT, user: BOT, by: SAM });
  await slack.until(SAM, () => thanks().some(({ channel }) => channel === SUPPORT));
  expect(thanks()).toHaveLength(2);
});
