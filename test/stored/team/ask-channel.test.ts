import { describe, expect, it } from 'vitest';
import type { PageMessage } from '../../../sandbox/slack/page-api.ts';
import { sql } from '../../../src/database/database.ts';
import { ADA } from '../../home/at-home.ts';
import { engines } from '../../support/engines.ts';
import { ALEX, KIM, SALES, SAM, SUPPORT, anotherLink, buttonsIn, readable } from '../../support/person.ts';
import { RANDOM } from '../../subscriptions/stage.ts';
import { linksMade } from '../../watch/opening.ts';
import { askChannel } from '../../team/asking.ts';
import { teamStage } from '../../team/stage.ts';

const GIL = 'U0GUEST0004';
const SHARED = 'C0SHARED004';

const MINUTE_MS = 60_000;
const HOSTILE = 'Stuck *here* <!channel> <@U0ADA000005> ‮evil';

const labels = (shown: PageMessage) => buttonsIn(shown.blocks).map(({ text: { text } }) => text);
const urls = (one: PageMessage) => JSON.stringify(one.blocks).match(/https:[^"]*\/archives\/[^"]*/g);
const addressOf = ({ ts }: PageMessage) =>
  expect.stringContaining(`/archives/${SUPPORT}/p${ts.replace('.', '')}`);

describe.each(engines)('Ask this channel, in $engine', (engine) => {
  const stage = teamStage(engine);
  const { clock, sandbox, person, direct, directs, changed, sessionOf, rowsOf } = stage;
  const ask = (shown: PageMessage, reason = '', as = ALEX) => askChannel(sandbox(), { as, shown, reason });
  const words = async (asked: ReturnType<typeof ask>) => readable((await asked).blocks);

  /** The post that asks a channel about a customer, once it says this. */
  const post = (name: string, part = '', channelId = SUPPORT) =>
    person(KIM, channelId).message(
      ({ text, channel }) =>
        channel === channelId &&
        text.includes('asks somebody here to look at ' + name) &&
        text.includes(part),
    );
  /** Lets time pass; whatever is queued next makes the app look at the clock. */
  async function pass(ms: number): Promise<void> {
    clock.aheadMs += ms;
    sandbox().service.setOnline('noah', true);
    await anotherLink(await person(ADA).watch(await person(ADA).type('/cobrowse watch noah')));
  }

  const take = (one: PageMessage, userId: string) =>
    person(userId, one.channel).pressFor(one, /^I’ll take it/);

  it('is taken once, by the first press, and leads to that person’s own link; both summaries link each other', async () => {
    const { card, session } = await sessionOf('jane4821', 'Jane Cooper');
    expect(labels(card)).toEqual(['Ask a colleague', 'Ask this channel', 'Stop session']);
    expect(await words(ask(card, HOSTILE))).toContain('I’m asking this channel.');
    const open = await post('Jane Cooper');
    expect(open.text).toContain(
      `<@${ALEX}> asks somebody here to look at Jane Cooper’s screen.\n` +
        '“Stuck *here* &lt;!channel&gt; &lt;@U0ADA000005&gt; evil”\nOpen until: ',
    );
    expect(labels(open)).toEqual(['I’ll take it']);
    await changed(card, `Asked to look: <#${SUPPORT}>\n`);
    expect((await take(open, ALEX)).text).toContain('You asked, so somebody else has to take it.');

    const answers = await Promise.all([take(open, SAM), take(open, KIM)]);
    const taker = labels(answers[0]).includes('Watch') ? SAM : KIM;
    const [offer, other] = taker === SAM ? answers : answers.toReversed();
    expect(other?.text).toBe(`<@${taker}> took it.`);
    expect(labels(await changed(open, `<@${taker}> took it.`))).toEqual([]);
    await changed(card, `Asked to look: <#${SUPPORT}> (<@${taker}> took it)\n`);

    const redirect = await person(taker).watch(offer ?? open);
    expect(redirect.status).toBe(302);
    const second = await sandbox().service.openWatchLink(redirect.headers.get('location') ?? '');
    const name = taker === SAM ? 'Sam Lee' : 'Kim Novak';
    const own = await stage.posted(`${name} asked to see Jane`);

    await sandbox().service.endSession(session.id);
    const first = await changed(card, 'Co-browsing session ended');
    expect(first.text).not.toContain('At the same time');
    await sandbox().service.endSession(second.id);
    const later = await changed(own, 'At the same time: Session with Alex Rivera');
    const earlier = await changed(card, `At the same time: Session with ${name}`);
    expect([urls(later), urls(earlier)]).toEqual([[addressOf(card)], [addressOf(own)]]);
    expect(stage.logLines.join('')).not.toContain('Stuck');
  });

  it('tells the asker, once, where nobody has taken it within five minutes, and is open for an hour', async () => {
    const { card } = await sessionOf('lm3', "Liam O'Brien");
    await ask(card);
    const open = await post("Liam O'Brien");
    const told = `Nobody in <#${SUPPORT}> has taken your question about Liam O'Brien yet. It’s still open there.`;
    await pass(4 * MINUTE_MS);
    expect(directs(ALEX, told)).toEqual([]);
    await pass(MINUTE_MS + 1_000);
    await direct(ALEX, told);
    await pass(54 * MINUTE_MS);
    expect((await take(open, ALEX)).text).toContain('somebody else');
    await pass(2 * MINUTE_MS);
    const over = await changed(open, 'Nobody took it in time.');
    expect([labels(over), directs(ALEX, told).length]).toEqual([[], 1]);
  });

  it('asks once in ten minutes, whoever asks, and the earlier post is then open no more', async () => {
    const { card } = await sessionOf('amara7', 'Amara Okafor');
    const asked = await Promise.all([ask(card), ask(card, '', SAM)]);
    expect(asked.flatMap(({ errors }) => Object.values(errors))).toEqual([
      'Already asked about this customer just now. That’s possible once in ten minutes.',
    ]);
    const open = await post('Amara Okafor');
    clock.aheadMs += 10 * MINUTE_MS;
    sandbox().slack.fail('chat.update', 'internal_error', 20);
    expect(await words(ask(card, 'again', KIM))).toContain('I’m asking');
    const newer = await post('Amara Okafor', '“again”');
    expect((await take(open, SAM)).text).toContain('Look for a newer message.');
    sandbox().slack.fail('chat.update', 'internal_error', 0);
    await pass(MINUTE_MS);
    const again = 'Nobody took this: a newer post asks again to look at Amara Okafor’s screen.';
    expect(labels(await changed(open, again))).toEqual([]);
    expect(labels(await take(newer, SAM))).toContain('Watch');
    const taken = await changed(newer, `<@${SAM}> took it.`);
    await pass(61 * MINUTE_MS);
    // Neither post is drawn once more at the hour: nobody asks the service for a name that's there.
    const atTheHour = sql`SELECT reason FROM deliveries WHERE kind = 'channel-ask-change' AND state = 'skipped'
      AND payload LIKE '%amara7%'`;
    await expect.poll(() => rowsOf(atTheHour)).toEqual([{ reason: 'superseded' }, { reason: 'superseded' }]);
    const [first, second] = [await changed(open, again), await changed(newer, taken.text)];
    expect([first.text, second.text]).toEqual([again, taken.text]);
  });

  it('isn’t taken by whoever can’t watch, and judges the taker’s rights again at Watch', async () => {
    const { card } = await sessionOf('priya55', 'Priya Natarajan');
    await ask(card);
    const open = await post('Priya Natarajan');
    await stage.letWatch([ALEX, SAM]);
    expect((await take(open, KIM)).text).toContain('You don’t have permission to see customers');
    expect((await take(open, GIL)).text).toMatch(/guest|permission/i);
    const offer = await take(open, SAM);
    await changed(open, `<@${SAM}> took it.`);
    await pass(6 * MINUTE_MS);
    expect(directs(ALEX, 'your question about Priya')).toEqual([]);
    await stage.letWatch([ALEX]);
    const before = linksMade(sandbox()).length;
    const refused = await person(SAM).watch(offer);
    await stage.letWatch();
    expect([refused.status, linksMade(sandbox()).length]).toEqual([403, before]);
  });

  it('isn’t offered where the app isn’t, and said before, nor in a shared channel', async () => {
    const elsewhere = await person(ALEX, SALES).type('/cobrowse visitor jane4821');
    expect(labels(elsewhere)).toContain('Ask a colleague');
    expect(labels(elsewhere)).not.toContain('Ask this channel');
    expect(elsewhere.text).toContain('I’m not in this channel, so you’ll get the summary as a message.');
    const { card } = await sessionOf('janepark', 'janepark', SHARED);
    expect(labels(card)).toContain('Ask a colleague');
    expect(labels(card)).not.toContain('Ask this channel');
  });

  it('is refused in words, with no post, where the app was removed or the channel archived since, or Slack doesn’t say', async () => {
    const shown = await person(ALEX, RANDOM).type('/cobrowse visitor jane4821');
    const said = [];
    for (const change of [{ hasApp: false }, { archived: true }]) {
      sandbox().slack.changeChannel(RANDOM, change);
      said.push(await words(ask(shown)));
      sandbox().slack.changeChannel(RANDOM, { archived: false, hasApp: true });
    }
    sandbox().slack.fail('conversations.info', 'internal_error', 20);
    said.push(await words(ask(shown)));
    sandbox().slack.fail('conversations.info', 'internal_error', 0);
    expect(said).toEqual([
      expect.stringMatching(/I can’t ask here: I’m not in this channel.*\/invite/s),
      expect.stringMatching(/I can’t ask here: .* it’s archived,(?!.*\/invite)/s),
      'Slack didn’t say whether I can ask here.\nTry again in a minute.',
    ]);
    const rows = await rowsOf(
      sql`SELECT id FROM asks WHERE asked_id IN (${SALES}, ${SHARED}) OR visitor_id = 'jane4821' AND asked_id = ${RANDOM}`,
    );
    expect(rows).toEqual([]);
  });

  it('is in the audit with who took it, and its reason nowhere but in its row', async () => {
    const shown = await person(ALEX, RANDOM).type('/cobrowse visitor jane4821');
    await ask(shown, 'the-reason');
    await take(await post('Jane Cooper', 'the-reason', RANDOM), KIM);
    const { text } = await person(ADA).type('/cobrowse audit asks');
    expect(text).toContain(`asked <#${RANDOM}> to look at jane4821’s screen, and said why`);
    expect(text).toContain(`took the question to look at jane4821’s screen from <@${ALEX}>`);
    const everywhere = await rowsOf(
      sql`SELECT 1 FROM deliveries WHERE payload LIKE '%the-reason%'
        UNION ALL SELECT 1 FROM audit WHERE detail LIKE '%the-reason%'`,
    );
    await stage.forgetAsks();
    expect([everywhere, await rowsOf(sql`SELECT 1 FROM asks`)]).toEqual([[], []]);
  });
});
