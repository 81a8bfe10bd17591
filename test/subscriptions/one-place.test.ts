import { describe, expect, it } from 'vitest';
import { RULE_FORM } from '../../src/messages/action-ids.ts';
import { atHome } from '../home/at-home.ts';
import { alexInSupport, endedSession } from '../sessions/ended-session.ts';
import { webhooksOf } from '../sessions/webhook-stage.ts';
import { ALEX, SAM, SUPPORT, personIn } from '../support/person.ts';
import { ADA, RANDOM, openStage } from './stage.ts';

const DIRECT = 'D0ALEX00001';
const DIRECT_SAM = 'D0SAM000002';

/** A session that ended just now: after everything that was set up before. */
const justEnded = (id: string) =>
  endedSession(id, { started_at: undefined, ended_at: new Date().toISOString(), length_seconds: 60 });

/** A stage that subscribes #random, too: once that has a summary, everything else that was due is there. */
async function openPlaces() {
  const stage = await openStage();
  const webhooks = webhooksOf(stage.sandbox);
  await stage.alex.type('/cobrowse subscribe #random');
  return {
    ...stage,
    webhooks,
    inRandom: async (count: number) => {
      await expect.poll(() => stage.summaries(RANDOM)).toHaveLength(count);
    },
  };
}

describe('one place under two names', () => {
  it('hears once where the channel got another id during the session', async () => {
    const { sandbox, alex, summaries, settled } = await openPlaces();
    await alex.type('/cobrowse subscribe #support');
    const offer = await alex.type('/cobrowse watch jane4821');
    const redirect = await alex.watch(offer);
    const { id } = await sandbox.service.openWatchLink(redirect.headers.get('location') ?? '');
    sandbox.slack.convert({ channel: SUPPORT, newId: 'C0MOVED0001' });
    const inRandom = personIn(sandbox, ALEX, RANDOM);
    await expect
      .poll(async () => (await inRandom.type('/cobrowse subscriptions')).text)
      .toContain('C0MOVED0001');
    await sandbox.service.endSession(id);
    await settled(id, '1');
    await expect.poll(() => summaries('C0MOVED0001')).toHaveLength(1);
  });

  it('hears once in direct messages, though a session without a channel goes to the person', async () => {
    const { sandbox, summaries, webhooks, inRandom, posts } = await openPlaces();
    await personIn(sandbox, ALEX, DIRECT).type('/cobrowse subscribe all');
    expect(posts(DIRECT)).toHaveLength(1);
    const { channelId: _, ...nowhere } = alexInSupport;
    await webhooks.send(justEnded('nowhere'), { to: webhooks.address(nowhere) });
    await inRandom(1);
    await expect.poll(() => summaries(DIRECT)).toHaveLength(1);
  });
});

describe('direct messages', () => {
  it('get nothing more once whoever set it up may see no customers any more', async () => {
    const { sandbox, watchAndEnd, settled, summaries } = await openStage();
    await personIn(sandbox, SAM, DIRECT_SAM).type('/cobrowse subscribe all');
    sandbox.slack.changePerson(SAM, { guest: true });
    expect(await settled(await watchAndEnd(), '1')).toBe('reader_may_not');
    sandbox.slack.changePerson(SAM, { guest: false });
    expect(await settled(await watchAndEnd({ visitorId: 'priya55' }), '1')).toBe('posted');
    expect(summaries(DIRECT_SAM)).toEqual([]);
  });

  it('go on for a member whom no rule lets watch: they find customers, too', async () => {
    const { sandbox, watchAndEnd, settled } = await openStage();
    await personIn(sandbox, SAM, DIRECT_SAM).type('/cobrowse subscribe all');
    const ada = atHome(sandbox, ADA);
    await ada.open();
    const form = await ada.pressFor(/^Change: Who can watch/, /Who can/);
    const changes = { [RULE_FORM.whoBlock]: RULE_FORM.admins, [RULE_FORM.usersBlock]: [ALEX] };
    await ada.filledAfter(() => ada.save(form, changes), 1);
    const { text } = await personIn(sandbox, SAM).type('/cobrowse watch jane4821');
    expect(text).toContain('You don’t have permission to watch');
    expect(await settled(await watchAndEnd(), '1')).toBe('posted');
  });
});
