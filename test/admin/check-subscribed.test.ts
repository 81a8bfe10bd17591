import { describe, expect, it } from 'vitest';
import { acme } from '../../sandbox/slack/seed.ts';
import { ALEX, SAM, personIn } from '../support/person.ts';
import { ADA, openStage } from '../subscriptions/stage.ts';

const APP = 'U0COBROWSE';
const leads = { id: 'C0LEADS0005', name: 'leads', topic: 'Leads', isPrivate: true };
const withLeads = (...members: readonly string[]) => ({
  slack: { seed: { ...acme, channels: [...acme.channels, { ...leads, members: [...members, APP] }] } },
});

describe('/cobrowse doctor, of subscriptions', () => {
  it('reports a pause, why, and what to do', async () => {
    const { sandbox, alex, watchAndEnd, settled } = await openStage();
    await alex.type('/cobrowse subscribe #random');
    sandbox.slack.fail('chat.postMessage', 'restricted_action', 20);
    await settled(await watchAndEnd(), '1');
    await expect.poll(async () => (await alex.type('/cobrowse subscriptions')).text).toContain('Paused');
    sandbox.slack.fail('chat.postMessage', 'restricted_action', 0);
    const { text } = await personIn(sandbox, ADA).type('/cobrowse doctor');
    expect(text).toContain(
      'Failure · Channel: <#C0RANDOM003> Subscription 1 is paused: posting there is restricted. Ask a workspace admin',
    );
    expect(text).toMatch(
      /Warning · Summaries: Couldn’t deliver \d summar(?:y|ies) in the last 30 days\. The app’s Home tab/,
    );
  });

  it('doesn’t name a private channel to an admin who isn’t in it', async () => {
    const { sandbox, alex } = await openStage(withLeads(ALEX, SAM));
    await alex.type('/cobrowse subscribe #leads');
    const { text, blocks } = await personIn(sandbox, ADA).type('/cobrowse doctor');
    expect(text).toContain('Private channel you aren’t in: The app is in this channel.');
    expect(JSON.stringify(blocks)).not.toContain(leads.id);
    expect(text).not.toContain(leads.id);
  });

  it('names a public channel to everyone', async () => {
    const open = { ...leads, isPrivate: false, members: [ALEX, APP] };
    const { sandbox, alex } = await openStage({
      slack: { seed: { ...acme, channels: [...acme.channels, open] } },
    });
    await alex.type('/cobrowse subscribe #leads');
    const { text } = await personIn(sandbox, ADA).type('/cobrowse doctor');
    expect(text).toContain(`Channel: <#${leads.id}> The app is in this channel.`);
  });

  it('names a private channel to its members', async () => {
    const { sandbox, alex } = await openStage(withLeads(ALEX, ADA));
    await alex.type('/cobrowse subscribe #leads');
    const { text } = await personIn(sandbox, ADA).type('/cobrowse doctor');
    expect(text).toContain(`Channel: <#${leads.id}> The app is in this channel.`);
  });

  it('names a private channel to whoever set it up, even after they left', async () => {
    const { sandbox } = await openStage(withLeads(ALEX, ADA));
    const ada = personIn(sandbox, ADA);
    await ada.type('/cobrowse subscribe #leads');
    sandbox.slack.leave({ channel: leads.id, user: ADA });
    expect((await ada.type('/cobrowse doctor')).text).toContain(
      `Channel: <#${leads.id}> The app is in this channel.`,
    );
  });

  it('finds nothing wrong with direct messages', async () => {
    const { sandbox } = await openStage();
    await personIn(sandbox, ALEX, 'D0ALEX00001').type('/cobrowse subscribe all');
    const { text } = await personIn(sandbox, ADA).type('/cobrowse doctor');
    expect(text).toContain('Channel: No channel has a subscription.');
  });
});
