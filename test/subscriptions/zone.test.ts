import { expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../src/database/open.ts';
import { answerWords } from '../../src/messages/modal.ts';
import { createSubscriptionRepository } from '../../src/subscriptions/repository.ts';
import { createSetUp } from '../../src/subscriptions/set-up.ts';
import { noEntry } from './new-subscription.ts';

const MEMBER = {
  name: undefined,
  email: undefined,
  isAdmin: false,
  isExternal: false,
  isGuest: false,
  isBot: false,
  isDeactivated: false,
  utcOffsetSeconds: 0,
};

/** What is answered to somebody in whose profile Slack shows this zone. */
async function answeredIn(zone: string | undefined): Promise<string> {
  const database = await openDatabase('memory:');
  onTestFinished(() => database.close());
  const app = {
    profileOf: async () => ({ ...MEMBER, timeZone: zone }),
    isInChannel: async () => true,
    isPublic: async () => true,
    isShared: async () => false as const,
    cobrowseOf: async () => expect.fail('A digest asks the service nothing.'),
    reportsEnds: async () => true,
    record: async () => undefined,
    prepare: noEntry,
    post: async () => ({ outcome: 'posted', ts: undefined }) as const,
    now: () => 0,
  };
  const repository = createSubscriptionRepository(database);
  const setUp = createSetUp(app, repository, { worked: async () => undefined });
  const caller = { workspaceId: 'T1', userId: 'U1', channelId: 'C1' };
  return answerWords(await setUp.digest(undefined, { hour: 9, minute: 0 }, caller)).text;
}

it.each([
  ['Asia/Kathmandu', 'Kathmandu time'],
  ['America/New_York', 'New York time'],
  [undefined, 'UTC'],
  ['Mars/Olympus', 'UTC'],
  ['', 'UTC'],
])('the clocks that a digest goes by are, where Slack says %j, named: %s', async (zone, named) => {
  expect(await answeredIn(zone)).toContain(`daily at 9:00 AM ${named}.`);
});
