import { describe, expect, it } from 'vitest';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { engines, storeFor } from '../support/engines.ts';
import { KIM, SUPPORT, personIn } from '../support/person.ts';
import { storeInFile, writeSettings } from '../support/settings-values.ts';
import { untilAnswered } from './asked-of-database.ts';
import { linksMade, told } from './opening.ts';

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

describe('a Watch address of before, where a ticket is proof enough', () => {
  const { sandbox } = checkedSandbox({ storeUrl: storeInFile(), watchProof: 'ticket' });

  it.each(losses)('gives no link to who was %s since, and says why', async (_what, words, lose, undo) => {
    const kim = personIn(sandbox(), KIM);
    const { url = '' } = kim.button(await kim.type('/cobrowse watch jane4821'), /^Watch/);
    await lose(sandbox());
    const answer = await fetch(url, { redirect: 'manual' });
    await undo(sandbox());
    expect(answer.headers.get('location')).toBeNull();
    expect(await answer.text()).toContain(words);
    expect(linksMade(sandbox())).toEqual([]);
  });
});

describe.each(engines)(
  'a press that was allowed, whose page opens only seconds later, in $engine',
  (engine) => {
    const storeUrl = storeFor(engine);
    const { sandbox } = checkedSandbox(() => ({ storeUrl: storeUrl() }));

    let presses = 0;
    /** Nobody waits for it, so it's kept for a page that comes; a second after the one before, so no double click. */
    async function pressAsKim(visitorId: string) {
      const kim = personIn(sandbox(), KIM);
      const offer = await kim.type(`/cobrowse watch ${visitorId}`);
      const { block_id, action_id = '', url = '' } = kim.button(offer, /^Watch/);
      const source = { type: 'message', channel: SUPPORT, ts: offer.ts } as const;
      const later_ms = (presses += 1) * 1_000;
      await untilAnswered('INSERT INTO presses', () =>
        sandbox().slack.press({ as: KIM, source, block_id, action_id, later_ms }),
      );
      return () => fetch(url, { redirect: 'manual' });
    }

    it.each(losses)(
      'gives no link to who was %s meanwhile, and says why',
      async (_what, words, lose, undo) => {
        const before = linksMade(sandbox()).length;
        const openPage = await pressAsKim('jane4821');
        await lose(sandbox());
        const answer = await openPage();
        await undo(sandbox());
        expect([answer.status, answer.headers.get('location')]).toEqual([403, null]);
        expect(await answer.text()).toContain(words);
        expect(linksMade(sandbox()).length).toBe(before);
      },
    );

    it('gives no more access than admins have set meanwhile', async () => {
      const openPage = await pressAsKim('noah');
      await writeSettings(sandbox(), { maxAccess: 'view' });
      const answer = await openPage();
      expect(answer.status).toBe(302);
      const asked = sandbox().service.requests.findLast(({ path }) => path.includes('/watch_url'));
      expect(asked?.body).toMatchObject({ permissions: { allow_click: false, allow_scroll: false } });
    });
  },
);

describe('a person who was deactivated without an event that says so', () => {
  const clock = { aheadMs: 0 };
  const { sandbox } = checkedSandbox({ now: () => Date.now() + clock.aheadMs });

  it('is given no link by a page that opens five seconds after Slack was asked about them', async () => {
    const { slack } = sandbox();
    const kim = personIn(sandbox(), KIM);
    const offer = await kim.type('/cobrowse watch jane4821');
    clock.aheadMs += 6_000;
    await untilAnswered('INSERT INTO presses', () => kim.press(offer, /^Watch/));
    const { url } = slack;
    slack.setRequestUrl(`${url}/nowhere`);
    slack.changePerson(KIM, { deactivated: true });
    clock.aheadMs += 5_000;
    const answer = await fetch(kim.button(offer, /^Watch/).url ?? '', { redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([403, null]);
    expect(await answer.text()).toContain('account is deactivated');
    expect(linksMade(sandbox())).toEqual([]);
  });
});
