import { describe, expect, it } from 'vitest';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { ALEX, SAM, SUPPORT, personIn } from '../support/person.ts';

/** Long enough for a machine that is busy. */

describe('an answer on its way to a person', () => {
  const { sandbox, logLines } = checkedSandbox();

  it.each(['used_url', 'hang-up', 'status'])(
    'comes as an ephemeral message where the response address fails: %s',
    async (how) => {
      const failure = how === 'status' ? { status: 500 } : how === 'hang-up' ? 'lose-answer' : how;
      sandbox().slack.fail('response_url', failure);
      const answer = await personIn(sandbox()).type('/cobrowse usage');
      expect(answer).toMatchObject({ ephemeral: true, channel: SUPPORT });
      expect(answer.text).toContain('Co-browsing account usage');
    },
  );

  it('stays private', async () => {
    sandbox().slack.fail('response_url', 'expired_url');
    const answer = await personIn(sandbox()).type('/cobrowse usage');
    expect(
      personIn(sandbox(), SAM)
        .messages()
        .map(({ ts }) => ts),
    ).not.toContain(answer.ts);
  });

  it('is logged, without its words, if that fails too', async () => {
    sandbox().slack.fail('response_url', 'used_url');
    sandbox().slack.fail('chat.postEphemeral', 'user_not_in_channel');
    await sandbox().slack.command({ as: ALEX, channel: SUPPORT, text: '/cobrowse find jane@acme.com' });
    // The next answer comes after the failed one, in the same process.
    await personIn(sandbox()).type('/cobrowse usage');
    await expect.poll(() => logLines.join('')).toContain('the answer could not be delivered');
    expect(logLines.join('')).toContain('user_not_in_channel');
    expect(logLines.join('')).not.toContain('jane@acme.com');
  });

  it('never uses the response URL too often: More again and again', async () => {
    const alex = personIn(sandbox());
    const list = await alex.type('/cobrowse find');
    // Each press has its own response URL, so five uses are enough for any number of presses.
    await alex.pickFor(list, /^Jane Cooper/);
    for (let press = 0; press < 6; press += 1) await alex.pickFor(list, /^Jane Cooper/);
    expect(sandbox().slack.calls.filter(({ error }) => error === 'used_url').length).toBeLessThanOrEqual(2);
  });
});
