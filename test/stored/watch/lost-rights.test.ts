import { afterEach, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../../sandbox/sandbox.ts';
import { checkedSandbox } from '../../support/checked-sandbox.ts';
import { onlySqlite, engines, storeFor } from '../../support/engines.ts';
import { KIM, SUPPORT } from '../../support/person.ts';
import { writeSettings } from '../../support/settings-values.ts';
import { untilAnswered } from '../../watch/asked-of-database.ts';
import { linksMade, open, pressWatch, told, watchOf } from '../../watch/opening.ts';

const change =
  (what: Parameters<Sandbox['slack']['changePerson']>[1]) =>
  ({ slack }: Sandbox) =>
    told(slack, () => slack.changePerson(KIM, what));
const leave = ({ slack }: Sandbox) => told(slack, () => slack.leave({ channel: SUPPORT, user: KIM }));
const nobody = (sandbox: Sandbox) =>
  writeSettings(sandbox, { rules: { watch: { members: false, ids: [] } } });

/** What becomes of Kim. */
const losses: readonly (readonly [string, string, (sandbox: Sandbox) => unknown])[] = [
  ['removed from the channel', 'You aren’t in the channel', leave],
  ['deactivated', 'account is deactivated', change({ deactivated: true })],
  ['made a guest', 'You’re a guest', change({ guest: true })],
  ['no longer among those who may watch', 'You don’t have permission', nobody],
];

describe.each(onlySqlite)('a Watch address of before, where a ticket is proof enough', () => {
  const { sandbox } = checkedSandbox({ watchProof: 'ticket' });

  it('gives no link to who was made a guest since, and says why', async () => {
    const { address } = await watchOf(sandbox(), 'jane4821', KIM);
    await change({ guest: true })(sandbox());
    const answer = await open(address);
    expect(answer.headers.get('location')).toBeNull();
    expect(await answer.text()).toContain('You’re a guest');
    expect(linksMade(sandbox())).toEqual([]);
  });
});

describe.each(engines)(
  'a press that was allowed, whose page opens only seconds later, in $engine',
  (engine) => {
    const storeUrl = storeFor(engine);
    const { sandbox } = checkedSandbox(() => ({ storeUrl: storeUrl() }));

    let presses = 0;
    afterEach(async () => {
      await writeSettings(sandbox(), {});
      await change({ deactivated: false, guest: false })(sandbox());
      sandbox().slack.join({ channel: SUPPORT, user: KIM });
    });
    /** Nobody waits for it, so it's kept for a page that comes; a second after the one before, so no double click. */
    async function pressAsKim(visitorId: string) {
      const { offer, address } = await watchOf(sandbox(), visitorId, KIM);
      presses += 1;
      await untilAnswered('INSERT INTO presses', () => pressWatch(sandbox(), offer, presses * 1_000, KIM));
      return () => open(address);
    }

    it.each(losses)('gives no link to who was %s meanwhile, and says why', async (_what, words, lose) => {
      const before = linksMade(sandbox()).length;
      const openPage = await pressAsKim('jane4821');
      await lose(sandbox());
      const answer = await openPage();
      expect([answer.status, answer.headers.get('location')]).toEqual([403, null]);
      expect(await answer.text()).toContain(words);
      expect(linksMade(sandbox()).length).toBe(before);
    });
  },
);

describe.each(onlySqlite)('a person who was deactivated without an event that says so', () => {
  const clock = { aheadMs: 0 };
  const { sandbox } = checkedSandbox({ now: () => Date.now() + clock.aheadMs });

  it('is given no link by a page that opens five seconds after Slack was asked about them', async () => {
    const { slack } = sandbox();
    const { offer, address } = await watchOf(sandbox(), 'jane4821', KIM);
    clock.aheadMs += 6_000;
    await untilAnswered('INSERT INTO presses', () => pressWatch(sandbox(), offer, 0, KIM));
    const { url } = slack;
    slack.setRequestUrl(`${url}/nowhere`);
    slack.changePerson(KIM, { deactivated: true });
    clock.aheadMs += 5_000;
    const answer = await open(address);
    expect([answer.status, answer.headers.get('location')]).toEqual([403, null]);
    expect(await answer.text()).toContain('account is deactivated');
    expect(linksMade(sandbox())).toEqual([]);
  });
});
