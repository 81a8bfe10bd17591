import { describe, expect, it } from 'vitest';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { ALEX, KIM, SALES, SUPPORT, personIn } from '../support/person.ts';

describe('a channel whose members Slack doesn’t show', () => {
  const { sandbox } = checkedSandbox();

  it('has its sessions and follow-ups listed for who asks in it, and not for who names it elsewhere', async () => {
    const { slack, service } = sandbox();
    const alex = personIn(sandbox(), ALEX);
    const page = await alex.watch(await alex.type('/cobrowse watch jane4821'));
    const card = await alex.message(({ text }) => /^Alex.*becomes the summary/s.test(text));
    const session = await service.openWatchLink(page.headers.get('location') ?? '');
    await service.endSession(session.id);
    const ended = await alex.message(({ ts, text }) => ts === card.ts && text.includes('session ended'));
    await alex.fillFollowUp(await alex.chooseFollowUp(ended), { when: 'hour' });

    // Its answers are seconds old at most, and an event ends them.
    slack.leave({ channel: SUPPORT, user: KIM });
    slack.join({ channel: SUPPORT, user: KIM });
    slack.fail('conversations.members', 'channel_not_found', 100);
    const listedIn = async (place: string, what: string) =>
      (await personIn(sandbox(), KIM, place).type(`/cobrowse ${what} #support`)).text;
    expect(await listedIn(SALES, 'sessions')).toContain('No sessions');
    expect(await listedIn(SALES, 'followups')).toContain('only people in a channel');
    for (const what of ['sessions', 'followups'])
      expect(await listedIn(SUPPORT, what)).toContain('Jane Cooper');
    slack.fail('conversations.members', 'channel_not_found', 0);
  });
});
