import { describe, expect, it } from 'vitest';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { personIn } from '../support/person.ts';

describe('/cobrowse usage', () => {
  const { sandbox } = checkedSandbox();

  it('shows the numbers readably', async () => {
    const answer = await personIn(sandbox()).type('/cobrowse usage');
    expect(answer.text.split('\n')).toEqual([
      'Co-browsing account usage',
      expect.stringMatching(/^Customers: \d+ online now, \d+ in the last 24 hours$/),
      expect.stringMatching(/^Sessions: 0 running now, 1 in the last 24 hours, 3 in the last 30 days$/),
      expect.stringMatching(
        /^Time in sessions: 12 minutes in the last 24 hours, 1 hour 36 minutes in the last 30/,
      ),
      expect.stringMatching(/^Agents: 1 in the last 24 hours, 2 in the last 30 days$/),
    ]);
  });
});
