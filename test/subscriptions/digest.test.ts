import { expect, it } from 'vitest';
import { digestOf } from '../../src/subscriptions/digest-numbers.ts';

const FROM = Date.UTC(2026, 2, 1, 9);
const TO = Date.UTC(2026, 2, 2, 9);

it('asks Slack only for the people that a digest names, whoever else had sessions', async () => {
  const asked: string[] = [];
  const counts = {
    sessions: 100,
    notAccepted: 0,
    seconds: 0,
    users: Array.from({ length: 100 }, (_, index) => ({ name: `U${index}`, sessions: 1 })),
    features: [],
    outcomes: [],
    bars: [100],
  };
  const when = {
    schedule: { hour: 9, minute: 0, zone: 'UTC' },
    period: { from: FROM, to: TO, starts: [FROM] },
  };
  const { agents } = await digestOf(counts, when, async (userId) => {
    asked.push(userId);
    if (userId === 'U1') throw new Error('Slack does not answer.');
    return `Name of ${userId}`;
  });
  expect(asked).toEqual(counts.users.slice(0, 10).map(({ name }) => name));
  expect(agents).toHaveLength(100);
  expect(agents.slice(0, 2).map(({ name }) => name)).toEqual(['Name of U0', 'U1']);
});
