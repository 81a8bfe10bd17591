import { describe, expect, it } from 'vitest';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { KIM, SALES, SAM, SUPPORT, personIn } from '../support/person.ts';
import { storeInFile, writeSettings } from '../support/settings-values.ts';
import { JSON_TYPE, signedSender } from '../support/signed.ts';
import { open, told, watchOf } from '../watch/opening.ts';

const BOT = 'U0COBROWSE';
const RANDOM = 'C0RANDOM003';
const LEADS = 'S0LEADS0001';

describe('an event of a channel', () => {
  const { sandbox } = checkedSandbox();
  const sendEvent = (body: object) =>
    signedSender(sandbox())(JSON.stringify(body), { 'content-type': JSON_TYPE });

  it('that is shared is of the workspace it was sent to', async () => {
    const alex = personIn(sandbox());
    await alex.type('/cobrowse subscribe #random');
    const event = { type: 'channel_id_changed', old_channel_id: RANDOM, new_channel_id: 'C0MOVED0001' };
    const answer = await sendEvent({
      type: 'event_callback',
      team_id: 'T0GLOBEX000',
      event_id: 'Ev1',
      authorizations: [{ team_id: 'T0ACME00000', user_id: BOT, is_bot: true }],
      event,
    });
    expect(answer.status).toBe(200);
    await expect
      .poll(async () => (await alex.type('/cobrowse subscriptions')).text)
      .toContain('<#C0MOVED0001>');
  });

  it('tells whoever added the app to it what it does there, but nobody when another person joins', async () => {
    const { slack } = sandbox();
    const thanks = () =>
      slack.snapshot(SAM).messages.filter(({ text }) => text.includes('Thanks for adding me'));
    const joins = (channel: string, user: string) => {
      slack.leave({ channel, user });
      slack.join({ channel, user, by: SAM });
    };
    joins(SALES, BOT);
    const [first] = await slack.until(SAM, () => (thanks().length === 1 ? thanks() : undefined));
    expect([first?.channel, first?.ephemeral]).toEqual([SALES, true]);
    joins(SALES, KIM);
    joins(SUPPORT, BOT);
    await slack.until(SAM, () => thanks().some(({ channel }) => channel === SUPPORT));
    expect(thanks()).toHaveLength(2);
  });
});

describe('a permission through a user group', () => {
  const { sandbox } = checkedSandbox({ watchProof: 'ticket', storeUrl: storeInFile() });

  it('is lost by people who are out of the group as soon as Slack says so', async () => {
    await writeSettings(sandbox(), { rules: { watch: { members: false, ids: [LEADS] } } });
    const { address } = await watchOf(sandbox(), 'jane4821', SAM);
    expect((await open(address)).status).toBe(302);
    const { slack } = sandbox();
    await told(slack, () => slack.changeUserGroup(LEADS, []));
    const answer = await open(address);
    expect(answer.status).toBe(403);
    expect(await answer.text()).toContain('You don’t have permission');
  });
});
