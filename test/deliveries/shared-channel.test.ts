import { describe, expect, it } from 'vitest';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { ALEX, personIn } from '../support/person.ts';
import { alexInSupport, endedSession } from './ended-session.ts';
import { summariesSeenBy, webhooksOf } from './webhook-stage.ts';

const ERIN = 'U0ERIN00006';
const SHARED = 'C0SHARED004';
const told = 'Shared channel: personal details are left out.';
const personal = {
  quality_feedback: ['Call me at 555 0100'],
  video_url: 'https://service.example/recording',
};

const { sandbox } = checkedSandbox();
const inShared = { ...alexInSupport, channelId: SHARED };

async function end(id: string, grant: typeof alexInSupport) {
  const webhooks = webhooksOf(sandbox());
  await webhooks.send(endedSession(id, personal), { to: webhooks.address(grant) });
  return webhooks.summaryOf(id);
}

describe('a summary in a channel that is shared with another organisation', () => {
  it('is read there by their people, without personal details', async () => {
    const { text } = await end('shared', inShared);
    expect(text).toContain('Visitor: jane4821\n');
    expect(text).toContain(told);
    expect(text).not.toMatch(/Jane|555 0100|Recording/);
    expect(summariesSeenBy(sandbox().slack, ERIN).map(({ id }) => id)).toContain('shared');
  });

  it('is whole in a channel of the workspace', async () => {
    const { text } = await end('own', alexInSupport);
    expect(text).toContain('Visitor: Jane Cooper\n');
    expect(text).toContain('Feedback: Call me at 555 0100');
    expect(text).not.toContain(told);
  });

  it('is cut where Slack does not say whether the channel is shared', async () => {
    sandbox().slack.fail('conversations.info', 'internal_error');
    const { text } = await end('unsaid', { ...alexInSupport, channelId: 'C0RANDOM003' });
    expect(text).not.toContain(told);
    expect(text).toContain('Slack didn’t say whether this channel is shared.');
    expect(text).not.toContain('Jane');
  });

  it('is whole for the agent where the channel did not take it', async () => {
    sandbox().slack.fail('chat.postMessage', 'restricted_action');
    const { text, channel } = await end('refused', inShared);
    expect(channel).not.toBe(SHARED);
    expect(text).toContain('Visitor: Jane Cooper\n');
  });
});

describe('what is posted about a link in a shared channel', () => {
  it('names the visitor by id, on the button that stops the session, too', async () => {
    const alex = personIn(sandbox(), ALEX, SHARED);
    const offer = await alex.type('/cobrowse watch jane4821');
    expect(offer.text).toContain('Jane Cooper');
    await alex.watch(offer);
    const erin = personIn(sandbox(), ERIN, SHARED);
    const card = await erin.message(
      ({ text, channel }) => channel === SHARED && text.includes('was given a link'),
    );
    expect(card.text).toContain(told);
    expect(JSON.stringify(card)).not.toContain('Jane Cooper');
  });
});

describe('a channel that got another id as it was shared', () => {
  const moving = checkedSandbox();
  const NEW = 'C0MOVED0001';
  const readThere = () =>
    summariesSeenBy(moving.sandbox().slack, ERIN).filter(({ channel }) => channel === NEW);

  it('gets summaries without personal details, also those of links given before', async () => {
    const webhooks = webhooksOf(moving.sandbox());
    const to = webhooks.address(inShared);
    const alex = personIn(moving.sandbox(), ALEX, SHARED);
    await alex.type('/cobrowse subscribe tag:nobody');
    moving.sandbox().slack.convert({ channel: SHARED, newId: NEW });
    const inSupport = personIn(moving.sandbox());
    await expect.poll(async () => (await inSupport.type('/cobrowse subscriptions')).text).toContain(NEW);
    await webhooks.send(endedSession('moved', personal), { to });
    await expect.poll(() => readThere().length, { timeout: 5_000 }).toBe(1);
    const [{ text } = { text: '' }] = readThere();
    expect(text).toContain(told);
    expect(text).not.toMatch(/Jane|555 0100|Recording/);
  });
});
