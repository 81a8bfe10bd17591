import { describe, expect, it } from 'vitest';
import { sql } from '../../src/database/database.ts';
import type { NotDone } from '../../src/outbox/transport.ts';
import {
  HOUR_MS,
  MINUTE_MS,
  archived,
  down,
  limited,
  lost,
  took,
  startStage,
  sessionIn,
} from '../outbox/stage.ts';
import { KIM, SAM } from '../support/person.ts';
import { alexInSupport } from './ended-session.ts';

type Options = Parameters<typeof startStage>[0];

const link = { ...alexInSupport, linkId: 'link-1' };
const other = { ...link, linkId: 'link-2' };
const isCard = ({ text }: { readonly text: string }) => text.includes('’s screen · ');
const isSummaryOfA = ({ text }: { readonly text: string }) => text.includes(' with Agent of a');

/** A process whose card of the link is in the channel. */
async function withCard(options: Options = {}) {
  const stage = await startStage(options);
  await stage.announce(link);
  await stage.pass(2_000);
  return stage;
}

/** One that got no answer to its card, and whose session has ended since; it's found once Slack refused those looks. */
async function withLostCard(...refusals: readonly NotDone[]) {
  let looks = 0;
  const stage = await startStage({
    answer: (asked) => (isCard(asked) ? lost : took()),
    find: async ({ to }) => refusals[looks++] ?? { found: ['5.5'], channelId: to },
  });
  await stage.announce(link);
  await stage.pass(500);
  await stage.tell('a', link);
  return stage;
}

describe('the card of a link', () => {
  it('becomes its summary, with the rest in its thread', async () => {
    const { asked, deliveries, tell, pass } = await withCard();
    await tell('a', link);
    await pass(3_000);
    const [card, summary, details] = asked;
    const { post_ts: ts } = (await deliveries())[0] ?? {};
    expect(card?.text).toContain('This message becomes the summary');
    expect(summary).toMatchObject({ replaces: ts });
    expect(summary?.text).not.toContain('Where: ');
    expect(details).toMatchObject({ threadTs: ts });
    expect(asked).toHaveLength(3);
  });

  it('becomes the whole summary if it is in a thread itself', async () => {
    const { asked, announce, tell, pass } = await startStage();
    const inThread = { ...link, threadTs: '17.1' };
    await announce(inThread);
    await pass(2_000);
    await tell('a', inThread);
    await pass(3_000);
    expect(asked).toHaveLength(2);
    expect(asked[1]?.text).toContain('Where: ');
    expect(asked[1]?.threadTs).toBeUndefined();
  });

  it('is shared by presses within a short time, but not with later ones, other places, people or tickets', async () => {
    const { asked, announce, pass } = await startStage();
    await Promise.all([announce(link), announce(other)]);
    await announce({ ...link, linkId: 'elsewhere', channelId: 'C0SALES0002' });
    await announce({ ...link, linkId: 'by-sam', userId: SAM });
    await announce({ ...link, linkId: 'nowhere', channelId: undefined });
    await announce({ ...link, linkId: 'of a ticket', ticketUrl: 'https://desk.example/1' });
    await pass(5_000);
    expect(asked.filter(isCard)).toHaveLength(4);
    await pass(10 * MINUTE_MS, MINUTE_MS);
    await announce({ ...link, linkId: 'later' });
    await pass(2_000);
    expect(asked.filter(isCard)).toHaveLength(5);
  });

  it('becomes the summary of the first link that shares it, and the next summary is posted separately', async () => {
    const { asked, announce, tell, pass } = await withCard();
    await announce(other);
    await tell('a', other);
    await tell('b', link);
    await pass(5_000);
    const changes = asked.filter(({ replaces }) => replaces !== undefined);
    expect(changes.map(sessionIn)).toEqual(['a']);
    expect(asked.find((one) => sessionIn(one) === 'b')?.text).toContain('Where: ');
    // Who presses now gets a card of their own.
    await announce({ ...link, linkId: 'link-3' });
    await pass(2_000);
    expect(asked.filter(isCard)).toHaveLength(2);
  });

  it('is no longer posted if its summary comes first', async () => {
    const stage = await startStage({ answer: (asked) => (isCard(asked) ? down : took()) });
    await stage.announce(link);
    await stage.pass(1_000);
    await stage.tell('a', link);
    await stage.pass(MINUTE_MS);
    expect(stage.asked.filter((asked) => !isCard(asked))).toHaveLength(1);
    const [card, summary] = await stage.deliveries();
    expect(card).toMatchObject({ state: 'skipped', reason: 'superseded' });
    expect(summary).toMatchObject({ state: 'posted' });
    expect(stage.finds).toEqual([]);
  });

  it('no longer promises a summary that can’t be posted, and becomes it after a Retry', async () => {
    let isRefused = true;
    const { asked, deliveries, summaryOf, tell, acts, pass } = await withCard({
      answer: (one) =>
        isRefused && isSummaryOfA(one) && one.replaces !== undefined
          ? { outcome: 'never', reason: 'restricted_action' }
          : took(),
    });
    await tell('a', link);
    await pass(3_000);
    const card = (await deliveries())[0];
    const changed = asked.filter(({ replaces }) => replaces === card?.post_ts);
    expect(changed).toHaveLength(2);
    expect(changed[1]?.text).toContain('It ended, but I couldn’t post the summary here.');
    expect(changed[1]?.text).not.toContain('becomes the summary');
    isRefused = false;
    expect(await acts.retry(link.workspaceId, (await summaryOf('a'))?.id ?? '')).toBe('retried');
    await pass(3_000);
    expect(await summaryOf('a')).toMatchObject({ state: 'posted', post_ts: card?.post_ts });
    expect(asked.findLast(isSummaryOfA)).toMatchObject({ replaces: card?.post_ts });
  });

  const unsaid: NotDone = { outcome: 'later', reason: 'internal_error' };

  it.each<readonly [string, NotDone]>([
    ['couldn’t say at first', unsaid],
    ['refused the token at first', { outcome: 'never', reason: 'token_revoked' }],
  ])(
    'is looked for if its answer was lost, again if Slack %s, and becomes the summary',
    async (_what, refusal) => {
      const { asked, pass } = await withLostCard(refusal);
      // The summary comes first and is put off; then it's the card's turn.
      await pass(2 * MINUTE_MS);
      expect(asked.filter(isCard)).toHaveLength(1);
      expect(asked.find(isSummaryOfA)).toMatchObject({ replaces: '5.5' });
    },
  );

  it('no longer promises a summary that was given up before it was known whether the card arrived', async () => {
    const { asked, database, pass } = await withLostCard(unsaid, unsaid, unsaid);
    await pass(300);
    await database.write(sql`UPDATE deliveries SET deaths = 9 WHERE kind = 'summary'`);
    await pass(30_000);
    const changed = asked.find(({ replaces }) => replaces === '5.5');
    expect(changed?.text).toContain('It ended, but I couldn’t post the summary here.');
  });

  it('is left alone if it can no longer be changed, or if its channel never accepted it', async () => {
    const { asked, announce, tell, pass } = await withCard({
      answer: ({ replaces, to, ...one }) =>
        replaces !== undefined
          ? { outcome: 'never', reason: 'message_not_found' }
          : to === 'C0SALES0002' && isCard(one)
            ? archived
            : took(),
    });
    const refused = { ...link, linkId: 'refused', channelId: 'C0SALES0002' };
    await announce(refused);
    await pass(2_000);
    await tell('a', link);
    await tell('b', refused);
    await pass(5_000);
    for (const id of ['a', 'b']) {
      const whole = asked.filter((one) => sessionIn(one) === id && one.replaces === undefined);
      expect(whole).toHaveLength(1);
      expect(whole[0]?.text).toContain('Where: ');
    }
    // A refused card is reported to no one.
    expect(asked.filter(({ to }) => to === link.userId)).toEqual([]);
  });

  it('that can’t be changed for a while doesn’t hold up the channel', async () => {
    const { summaryOf, tell, pass } = await withCard({
      answer: ({ replaces }, times) => (replaces !== undefined && times === 0 ? limited(60) : took()),
    });
    await tell('a', link);
    await tell('b', { linkId: 'none' });
    await pass(10_000);
    expect((await summaryOf('b'))?.state).toBe('posted');
    expect((await summaryOf('a'))?.state).toBe('waiting');
    await pass(MINUTE_MS);
    expect((await summaryOf('a'))?.state).toBe('posted');
  });

  it('is no longer news half an hour later', async () => {
    let isDown = true;
    const { deliveries, pass } = await withCard({ answer: () => (isDown ? down : took()) });
    await pass(35 * MINUTE_MS);
    isDown = false;
    await pass(HOUR_MS, MINUTE_MS);
    expect((await deliveries())[0]).toMatchObject({ state: 'skipped', reason: 'too_late' });
  });
});

describe('the card of a link that came to nothing', () => {
  it('is changed to say so, and still becomes a summary that arrives after all', async () => {
    const { asked, deliveries, conclude, tell, pass } = await withCard();
    await conclude(link);
    await conclude(link);
    await pass(2_000);
    const [, concluded] = asked;
    expect(concluded?.replaces).toBe((await deliveries())[0]?.post_ts);
    expect(concluded?.text).toContain('didn’t open the link');
    await tell('a', link);
    await pass(3_000);
    expect(asked[2]).toMatchObject({ replaces: concluded?.replaces });
    expect(asked).toHaveLength(4);
  });

  it('is left alone once it is a summary, or while another of its links is still looked for', async () => {
    const { asked, announce, conclude, tell, pass } = await withCard();
    await announce(other);
    await conclude(link);
    await pass(2_000);
    expect(asked).toHaveLength(1);
    await tell('a', link);
    await pass(3_000);
    await conclude(other, 'unknown');
    await pass(3_000);
    expect(asked.filter(({ text }) => /didn’t open the link|Nothing more is known/.test(text))).toEqual([]);
  });
});

it('the card of a session that was seen running says so once, and still becomes the summary', async () => {
  const { asked, deliveries, seeRunning, tell, pass } = await withCard();
  await seeRunning(link);
  await seeRunning(link);
  await pass(3_000);
  const { post_ts: ts } = (await deliveries())[0] ?? {};
  expect(asked.filter(({ text }) => text.includes('In session'))).toMatchObject([{ replaces: ts }]);
  await tell('a', link);
  await pass(3_000);
  expect(asked.find(isSummaryOfA)).toMatchObject({ replaces: ts });
});

/** What is said beside the summary that a card becomes. */
async function detailsOf(options: Options, fields = {}) {
  const { asked, tell, pass } = await withCard(options);
  await tell('a', link, fields);
  await pass(5_000);
  return asked.slice(2).map(({ to, text }) => `${to} ${text.split('\n')[0]}`);
}

describe('the details of a card that became its summary', () => {
  it.each([
    ['who is there', async () => true],
    ['also where Slack doesn’t say who is in the channel', async () => undefined],
    ['also where Slack can’t be asked', () => Promise.reject(new Error('Slack is down'))],
  ])('mention the agent who watched, %s', async (_, isInChannel) => {
    expect(await detailsOf({ isInChannel })).toEqual([
      `${link.channelId} <@${link.userId}>, here are the details of your session:`,
    ]);
  });

  it('mention nobody who has left: they hear where the summary is, however long Slack takes for the details', async () => {
    const [elsewhere, ...others] = await detailsOf({
      isInChannel: async () => false,
      answer: () => new Promise((resolve) => setTimeout(() => resolve(took()), 700)),
    });
    expect(elsewhere).toBe(
      `${link.userId} Your session ended. Its summary is in <#${link.channelId}>, which you’re not in.`,
    );
    expect(others).toEqual([`${link.channelId} Where: On-premise`]);
  });
});

describe('the card of a link, of which a colleague was asked', () => {
  const askedLine = `Asked to look: <@${SAM}>`;

  it('says so once it’s posted, and at first where it isn’t yet', async () => {
    const stage = await startStage();
    await stage.announce(link);
    await stage.ask(link, SAM);
    await stage.pass(3_000);
    await stage.ask(link, KIM);
    await stage.pass(3_000);
    expect(stage.asked.at(-1)?.text).toContain(`${askedLine}, <@${KIM}>\n`);
  });

  it('stays what it has become', async () => {
    const { asked, ask, conclude, tell, announce, pass } = await withCard();
    await tell('a', link);
    const unused = { ...other, visitorId: 'noah' };
    await announce(unused);
    await pass(5_000);
    await conclude(unused);
    await pass(3_000);
    const before = asked.length;
    await ask(link, SAM);
    await ask(unused, SAM);
    await pass(3_000);
    expect(asked).toHaveLength(before);
  });
});
