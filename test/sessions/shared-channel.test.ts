import { describe, expect, it } from 'vitest';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { ALEX, buttonsIn, personIn, readable } from '../support/person.ts';
import { alexInSupport, endedSession } from './ended-session.ts';
import { summariesSeenBy, webhooksOf } from './webhook-stage.ts';

const ERIN = 'U0ERIN00006';
const SHARED = 'C0SHARED004';
const told = 'This channel may be shared: personal details are left out.';
const personal = {
  quality_feedback: ['Call me at 555 0100'],
  video_url: 'https://service.example/recording',
};

const { sandbox } = checkedSandbox();
const inShared = { ...alexInSupport, channelId: SHARED };

async function end(id: string, link: typeof alexInSupport) {
  const webhooks = webhooksOf(sandbox());
  await webhooks.send(endedSession(id, personal), { to: webhooks.address(link) });
  return webhooks.summaryOf(id);
}

describe('a summary in a channel that is shared with another organization', () => {
  it('leaves out personal details', async () => {
    const { text } = await end('shared', inShared);
    expect(text).toContain('jane4821 with ');
    expect(text).toContain(told);
    expect(text).not.toMatch(/Jane|555 0100|Recording/);
    expect(summariesSeenBy(sandbox().slack, ERIN).map(({ id }) => id)).toContain('shared');
  });

  it('is cut if Slack doesn’t say whether the channel is shared', async () => {
    sandbox().slack.fail('conversations.info', 'internal_error');
    const { text } = await end('unsaid', { ...alexInSupport, channelId: 'C0RANDOM003' });
    expect(text).toContain(told);
    expect(text).not.toContain('Jane');
  });

  it('is complete for the agent if the channel refused it', async () => {
    sandbox().slack.fail('chat.postMessage', 'restricted_action', 1, 'Agent of refused');
    const { text, channel } = await end('refused', inShared);
    expect(channel).not.toBe(SHARED);
    expect(text).toContain('Jane Cooper with ');
  });
});

describe('what can be done below a summary in a shared channel', () => {
  it('is saying how the session went, which shows without a name, and no note, and nothing for the other organization', async () => {
    await end('outcome', inShared);
    const alex = personIn(sandbox(), ALEX, SHARED);
    const summary = alex.existing(/Agent of outcome/);
    const erin = personIn(sandbox(), ERIN, SHARED);
    const refused = await erin.chooseOutcome(summary, /Solved/);
    expect(refused.text).toContain('Only people who watched this session');
    const offer = await erin.pressFor(summary, /^Watch again/);
    expect(buttonsIn(offer.blocks)).toEqual([]);
    expect(buttonsIn(summary.blocks).map(({ text }) => text.text)).toEqual(['Watch again']);
    const answer = await alex.chooseOutcome(summary, /Solved/);
    expect(answer.text).toContain('Outcome set to Solved');
    const changed = await alex.message(({ ts, text }) => ts === summary.ts && text.includes('Outcome: '));
    expect(changed.text).toMatch(/^Outcome: Solved$/m);
  });
});

describe('Add note, drawn before a channel was shared', () => {
  const clock = { ahead: 0 };
  const aging = checkedSandbox({ now: () => Date.now() + clock.ahead });

  it('opens no form if Slack no longer says that only this organization can read the channel', async () => {
    const webhooks = webhooksOf(aging.sandbox());
    await webhooks.send(endedSession('before'), { to: webhooks.address(alexInSupport) });
    const alex = personIn(aging.sandbox());
    const summary = await alex.message(({ text }) => text.includes('Agent of before'));
    clock.ahead += 61_000;
    aging.sandbox().slack.fail('conversations.info', 'internal_error', 5);
    await alex.press(summary, /^Add note/);
    const { submit } = await alex.modal(({ blocks }) =>
      readable(blocks).includes('Notes can’t be added here'),
    );
    aging.sandbox().slack.fail('conversations.info', 'internal_error', 0);
    expect(submit).toBeUndefined();
  });
});

describe('what is posted about a link in a shared channel', () => {
  it('names the visitor by id, even on the button that stops the session', async () => {
    const alex = personIn(sandbox(), ALEX, SHARED);
    const offer = await alex.type('/cobrowse watch jane4821');
    expect(offer.text).toContain('Jane Cooper');
    await alex.watch(offer);
    const erin = personIn(sandbox(), ERIN, SHARED);
    const card = await erin.message(({ text }) => text.includes('’s screen · '));
    expect(card.channel).toBe(SHARED);
    expect(card.text).toContain(told);
    expect(JSON.stringify(card)).not.toContain('Jane Cooper');
  });
});

describe('a channel that got another id when it was shared', () => {
  const moving = checkedSandbox();
  const NEW = 'C0MOVED0001';
  const readThere = () =>
    summariesSeenBy(moving.sandbox().slack, ERIN).filter(({ channel }) => channel === NEW);

  it('gets summaries without personal details, even for links issued before', async () => {
    const webhooks = webhooksOf(moving.sandbox());
    const to = webhooks.address(inShared);
    const alex = personIn(moving.sandbox(), ALEX, SHARED);
    await alex.type('/cobrowse subscribe tag:nobody');
    moving.sandbox().slack.convert({ channel: SHARED, newId: NEW });
    const inSupport = personIn(moving.sandbox());
    await expect.poll(async () => (await inSupport.type('/cobrowse subscriptions')).text).toContain(NEW);
    await webhooks.send(endedSession('moved', personal), { to });
    await expect.poll(() => readThere().length).toBe(1);
    const [{ text } = { text: '' }] = readThere();
    expect(text).toContain(told);
    expect(text).not.toMatch(/Jane|555 0100|Recording/);
  });
});
