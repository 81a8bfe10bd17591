import { describe, expect, it } from 'vitest';
import type { PageMessage } from '../../../sandbox/slack/page-api.ts';
import { sql } from '../../../src/database/database.ts';
import { ADA } from '../../home/at-home.ts';
import { engines } from '../../support/engines.ts';
import { ALEX, KIM, SAM, buttonsIn, readable } from '../../support/person.ts';
import { RANDOM } from '../../subscriptions/stage.ts';
import { askColleague } from '../../team/asking.ts';
import { teamStage } from '../../team/stage.ts';

const GIL = 'U0GUEST0004';
const ERIN = 'U0ERIN00006';
const HELPDESK = 'U0HELPDESK';
const SHARED = 'C0SHARED004';
const REASON = 'Stuck *here* <!channel> <@U0ADA000005> \u202Eevil\u0007';

describe.each(engines)('Ask a colleague, in $engine', (engine) => {
  const stage = teamStage(engine);
  const { clock, sandbox, person, direct, changed, sessionOf, posted, endSessionOf } = stage;
  const ask = (shown: PageMessage, colleague: string, reason = '', as = ALEX) =>
    askColleague(sandbox(), { as, shown, colleague, reason });
  const words = async (asked: ReturnType<typeof ask>) => readable((await asked).blocks);
  const wrong = async (asked: ReturnType<typeof ask>) => Object.values((await asked).errors).join('');

  /** The direct message that asks somebody, about a customer. */
  const askedOf = (userId: string, name: string) => direct(userId, `asks you to look at ${name}’s screen`);

  /** One press of its Watch. */
  const watchAsAsked = (userId: string, asked: PageMessage): Promise<Response> =>
    person(userId, asked.channel).watch(asked);

  it('leads to the colleague’s own link without a question, and both cards and summaries are in the channel', async () => {
    const { card } = await sessionOf('jane4821', 'Jane Cooper');
    expect(await words(ask(card, SAM, REASON))).toContain(`I’m sending <@${SAM}> a direct message.`);
    await changed(card, `Asked to look: <@${SAM}>\n`);
    const asked = await askedOf(SAM, 'Jane Cooper');
    expect(asked.text).toContain(`<@${ALEX}> asks you to look at Jane Cooper’s screen.`);
    expect(asked.text).toContain('“Stuck *here* &lt;!channel&gt; &lt;@U0ADA000005&gt; evil”');
    expect(asked.text).toContain('In session since: ');

    const redirect = await watchAsAsked(SAM, asked);
    expect(redirect.status).toBe(302);
    const own = await posted('Sam Lee asked to see Jane Cooper’s screen');
    await endSessionOf(redirect);
    const summary = await changed(own, 'Co-browsing session ended');
    expect(summary.text).toContain('Sam Lee');
    // What was said is in Slack and in its row.
    expect(stage.logLines.join('')).not.toContain('Stuck');
  });

  it('sends one message a colleague and customer in ten minutes, whoever asks', async () => {
    const { card } = await sessionOf('noah', 'Noah Schmidt');
    const asks = await Promise.all([ask(card, SAM), ask(card, SAM, '', KIM)].map(wrong));
    expect(asks.join('')).toBe(
      'Already asked about this customer just now. That’s possible once in ten minutes.',
    );
    await askedOf(SAM, 'Noah Schmidt');
    expect(await words(ask(card, KIM))).toContain('I’m sending');
    clock.aheadMs += 10 * 60_000;
    expect(await words(ask(card, SAM, 'again'))).toContain('I’m sending');
    await direct(SAM, '“again”');
    expect(stage.directs(SAM, 'Noah Schmidt’s screen')).toHaveLength(2);
  });

  it('refuses oneself, apps, guests, strangers, the deactivated, who can’t watch, and a watch link', async () => {
    const { card, link } = await sessionOf('amara7', 'Amara Okafor');
    sandbox().slack.changePerson(KIM, { deactivated: true });
    const refusals = [];
    for (const colleague of [ALEX, HELPDESK, 'USLACKBOT', GIL, ERIN, KIM])
      refusals.push(await wrong(ask(card, colleague)));
    sandbox().slack.changePerson(KIM, { deactivated: false });
    await stage.letWatch([ALEX, GIL]);
    for (const colleague of [SAM, GIL]) refusals.push(await wrong(ask(card, colleague)));
    await stage.letWatch();
    expect(refusals).toHaveLength(8);
    expect(new Set(refusals)).toEqual(
      new Set(['Choose somebody else: a member of this workspace who can watch.']),
    );
    expect(await wrong(ask(card, SAM, `see ${link}`))).toBe(
      'That looks like a watch link. Leave it out: they get their own.',
    );
    expect(await stage.rowsOf(sql`SELECT id FROM asks WHERE visitor_id = 'amara7'`)).toEqual([]);
  });

  it('works in a shared channel, also for a colleague who isn’t in it, and for nobody of the other organization', async () => {
    const { card } = await sessionOf('janepark', 'janepark', SHARED);
    const erin = person(ERIN, SHARED);
    await erin.press(card, /^Ask a colleague/);
    await erin.modal(({ blocks }) => readable(blocks).includes('you’re from another organization'));
    expect(await words(ask(card, KIM))).toContain('I’m sending');
    const asked = await askedOf(KIM, 'Jane Park');
    expect((await watchAsAsked(KIM, asked)).status).toBe(302);
    const own = await posted(`<@${KIM}> asked to see janepark’s screen`, SHARED, ERIN);
    expect(JSON.stringify(own)).not.toContain('Jane Park');
  });

  it('is on a customer’s card, too, and what follows belongs where it was asked', async () => {
    const shown = await person(ALEX, RANDOM).type('/cobrowse visitor Xq9Z');
    await ask(shown, SAM);
    const asked = await askedOf(SAM, 'Sofía Martínez');
    expect(asked.text).not.toContain('In session');
    await watchAsAsked(SAM, asked);
    await posted('Sam Lee asked to see Sofía Martínez’s screen', RANDOM);
  });

  it('leads to a card and a summary in the colleague’s direct messages, where the session is in the asker’s', async () => {
    const own = sandbox()
      .slack.snapshot(ALEX)
      .channels.find(({ id }) => id.startsWith('D'));
    sandbox().service.addVisitor({ short_id: 'dora1', identities: ['Dora Direct'], is_online: true });
    const { card } = await sessionOf('dora1', 'Dora Direct', own?.id);
    await ask(card, KIM);
    const asked = await askedOf(KIM, 'Dora Direct');
    const redirect = await watchAsAsked(KIM, asked);
    expect(redirect.status).toBe(302);
    const kims = await posted('Kim Novak asked to see Dora', asked.channel, KIM);
    await endSessionOf(redirect);
    await direct(KIM, 'Co-browsing session ended');
    expect(stage.directs(KIM, 'Co-browsing session ended')).toMatchObject([{ ts: kims.ts }]);
  });

  it('is told to the asker and off their card where Slack refuses the message, which then doesn’t count', async () => {
    const { card } = await sessionOf('yuki0000tanaka000', '田中 雪');
    await ask(card, KIM);
    await askedOf(KIM, '田中 雪');
    await changed(card, `Asked to look: <@${KIM}>\n`);
    sandbox().slack.fail('chat.postMessage', 'user_disabled', 1, SAM);
    await ask(card, SAM);
    await direct(ALEX, `I couldn’t send your question about 田中 雪 to <@${SAM}>.`);
    const shown = await changed(card, `Asked to look: <@${KIM}>\n`);
    expect(await words(ask(shown, SAM))).toContain('I’m sending');
    await changed(card, `Asked to look: <@${KIM}>, <@${SAM}>\n`);
  });

  it('is in the audit, and its button is an ordinary one once nobody remembers it', async () => {
    await ask(await person().type('/cobrowse visitor jane4821'), KIM, 'the-reason');
    const { text } = await person(ADA).type('/cobrowse audit asks');
    expect(text).toContain(`asked <@${KIM}> to look at jane4821’s screen, and said why`);
    const asked = await askedOf(KIM, 'Jane Cooper');
    await stage.forgetAsks();
    const offer = await person(KIM, asked.channel).pressFor(asked, /^More options/);
    expect(buttonsIn(offer.blocks).map(({ text: { text: label } }) => label)).toContain('Watch');
  });
});
