import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { startLocalService } from '../cobrowse/local-service.ts';
import type { LocalService } from '../cobrowse/local-service.ts';
import { pressOf, sendInteraction } from '../slack/send-payload.ts';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { ALEX, KIM, SUPPORT, personIn } from '../support/person.ts';
import { storeInFile, writeSettings } from '../support/settings-values.ts';
import { told } from './told.ts';

/** What becomes of Kim, and how it is undone. */
const losses: readonly (readonly [
  string,
  string,
  (sandbox: Sandbox) => unknown,
  (sandbox: Sandbox) => unknown,
])[] = [
  [
    'removed from the channel',
    'You aren’t in the channel',
    ({ slack }) => told(slack, () => slack.leave({ channel: SUPPORT, user: KIM })),
    ({ slack }) => told(slack, () => slack.join({ channel: SUPPORT, user: KIM })),
  ],
  [
    'deactivated',
    'account is deactivated',
    ({ slack }) => told(slack, () => slack.changePerson(KIM, { deactivated: true })),
    ({ slack }) => told(slack, () => slack.changePerson(KIM, { deactivated: false })),
  ],
  [
    'made a guest',
    'You’re a guest',
    ({ slack }) => told(slack, () => slack.changePerson(KIM, { guest: true })),
    ({ slack }) => told(slack, () => slack.changePerson(KIM, { guest: false })),
  ],
  [
    'no longer among those who may watch',
    'You don’t have permission',
    (sandbox) => writeSettings(sandbox, { rules: { watch: { members: false, ids: [] } } }),
    (sandbox) => writeSettings(sandbox, {}),
  ],
];

describe.each(['press', 'ticket'] as const)(
  'a Watch button of before, with the proof by %s',
  (watchProof) => {
    const { sandbox } = checkedSandbox({ storeUrl: storeInFile(), watchProof });
    const linksMade = () =>
      sandbox().service.requests.filter(({ path }) => path.includes('/watch_url')).length;

    let answers: LocalService;
    beforeAll(async () => {
      answers = await startLocalService((_request, response) => response.end('ok'));
    });
    afterAll(() => answers.close());

    /** The press as a page that was open before might still send it, and the address as somebody may have copied it. */
    async function openStill(url: string, value: string): Promise<Response> {
      const opening = fetch(url, { redirect: 'manual' });
      await sendInteraction(
        sandbox(),
        pressOf('watch', value, {
          user: { id: KIM, team_id: 'T0ACME00000' },
          channel: { id: SUPPORT },
          response_url: `${answers.url}/response`,
          trigger_id: randomUUID(),
          actions: [{ action_id: 'watch', value, action_ts: String(Date.now() / 1_000) }],
        }),
      );
      return opening;
    }

    it.each(losses)('gives no link to who was %s since, and says why', async (_what, words, lose, undo) => {
      const kim = personIn(sandbox(), KIM);
      const { url = '', value = '' } = kim.button(await kim.type('/cobrowse watch jane4821'), /^Watch/);
      const before = linksMade();
      await lose(sandbox());
      const answer = await openStill(url, value);
      await undo(sandbox());
      expect(answer.headers.get('location')).toBeNull();
      expect(await answer.text()).toContain(words);
      expect(linksMade()).toBe(before);
    });
  },
);

describe('a channel that got another id since', () => {
  const { sandbox } = checkedSandbox({ watchProof: 'ticket' });

  it('is the same channel: who left it is given no link', async () => {
    const { slack, service } = sandbox();
    const kim = personIn(sandbox(), KIM);
    await kim.type('/cobrowse subscribe all');
    const { url = '' } = kim.button(await kim.type('/cobrowse watch jane4821'), /^Watch/);
    const newId = 'C0MOVED0001';
    slack.convert({ channel: SUPPORT, newId });
    const elsewhere = personIn(sandbox(), ALEX, 'C0RANDOM003');
    await expect.poll(async () => (await elsewhere.type('/cobrowse subscriptions')).text).toContain(newId);
    await told(slack, () => slack.leave({ channel: newId, user: KIM }));
    const answer = await fetch(url, { redirect: 'manual' });
    expect(await answer.text()).toContain('You aren’t in the channel');
    expect(service.requests.filter(({ path }) => path.includes('/watch_url'))).toEqual([]);
  });
});
