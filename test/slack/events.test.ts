import { describe, expect, it } from 'vitest';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { KIM, SALES, SAM, SUPPORT, anotherLink, personIn } from '../support/person.ts';
import { storeInFile, writeSettings } from '../support/settings-values.ts';
import { JSON_TYPE, signedSender } from '../support/signed.ts';

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
    const [told] = await slack.until(SAM, () => (thanks().length === 1 ? thanks() : undefined));
    expect([told?.channel, told?.ephemeral]).toEqual([SALES, true]);
    joins(SALES, KIM);
    joins(SUPPORT, BOT);
    await slack.until(SAM, () => thanks().some(({ channel }) => channel === SUPPORT));
    expect(thanks()).toHaveLength(2);
  });
});

describe('a permission through a user group', () => {
  const { sandbox } = checkedSandbox({ watchProof: 'ticket', storeUrl: storeInFile() });
  const open = async (url: string) => anotherLink(await fetch(url, { redirect: 'manual' }));
  const acknowledged = () => sandbox().slack.calls.filter(({ method }) => method === 'ack').length;

  it('is lost by people who are out of the group as soon as Slack says so', async () => {
    await writeSettings(sandbox(), { rules: { watch: { members: false, ids: [LEADS] } } });
    const sam = personIn(sandbox(), SAM);
    const url = sam.button(await sam.type('/cobrowse watch jane4821'), /^Watch/).url ?? '';
    expect((await open(url)).status).toBe(302);
    const before = acknowledged();
    sandbox().slack.changeUserGroup(LEADS, []);
    await expect.poll(acknowledged).toBeGreaterThan(before);
    const answer = await open(url);
    expect(answer.status).toBe(403);
    expect(await answer.text()).toContain('You don’t have permission');
  });
});
