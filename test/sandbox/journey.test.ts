import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PATIENT_MS } from '../support/checked-sandbox.ts';
import { startSandbox } from '../../sandbox/sandbox.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { engines, storeFor } from '../support/engines.ts';
import { ACTION, RULE_FORM } from '../../src/messages/action-ids.ts';
import { alexInSupport, endedSession } from '../sessions/ended-session.ts';
import { summariesSeenBy, webhooksOf } from '../sessions/webhook-stage.ts';
import { ADA, atHome } from '../home/at-home.ts';
import { ALEX, KIM, SALES, SUPPORT, buttonsIn, personIn, readable } from '../support/person.ts';

const RANDOM = 'C0RANDOM003';
const APP = 'U0COBROWSE';
const DAY_MS = 24 * 60 * 60 * 1_000;

describe.each(engines)('the main job, without a browser, in $engine', (engine) => {
  const storeUrl = storeFor(engine);
  const clock = { ahead: 0 };
  let sandbox: Sandbox;

  /** What the app said to all in a channel, as Alex sees it. */
  const saidIn = (channel: string) =>
    personIn(sandbox)
      .messages()
      .filter((message) => message.channel === channel && !message.ephemeral && message.user === APP);

  /** Ends a session in #sales, which the app isn't in; the agent is told. */
  async function failToDeliver(id: string) {
    const webhooks = webhooksOf(sandbox);
    const to = webhooks.address({ ...alexInSupport, channelId: SALES });
    expect((await webhooks.send(endedSession(id), { to })).status).toBe(200);
    await webhooks.summaryOf(id);
  }

  beforeAll(async () => {
    sandbox = await startSandbox({
      paceMs: 0,
      pageWaitMs: PATIENT_MS,
      schedulerMs: 20,
      storeUrl: storeUrl(),
      now: () => Date.now() + clock.ahead,
    });
  });
  afterAll(() => sandbox.close());

  it('goes from find over Watch to the summary in the channel', async () => {
    const alex = personIn(sandbox);
    const list = await alex.type('/cobrowse find jane@acme.com');
    expect(list.ephemeral).toBe(true);
    expect(readable(list.blocks)).toContain('Jane Cooper');
    expect(readable(list.blocks)).not.toContain('secret');

    const redirect = await alex.watch(list, /^Watch the screen of Jane Cooper/);
    expect(redirect.status).toBe(302);
    expect(redirect.headers.get('cache-control')).toBe('no-store');
    expect(redirect.headers.get('referrer-policy')).toBe('no-referrer');

    const link = redirect.headers.get('location') ?? '';
    const session = await sandbox.service.openWatchLink(link);
    await sandbox.service.endSession(session.id);
    const summary = await alex.message(({ text }) => text.includes('Co-browsing session ended'));
    expect(summary).toMatchObject({ channel: SUPPORT, ephemeral: false });
    expect(summary.text).toContain('Visitor: Jane Cooper');
    expect(summary.text).toContain('Agent: Alex Rivera');
    expect(JSON.stringify(sandbox.slack.calls)).not.toContain(link);
  });

  it('goes from a message shortcut over a modal to a summary in the thread', async () => {
    const alex = personIn(sandbox);
    const question = alex.existing(/stuck at checkout/);
    const results = await alex.shortcut(question, 'find_visitor', ({ blocks }) =>
      readable(blocks).includes('Jane Cooper'),
    );
    expect(results.title).toBe('Find visitor');
    const redirect = await alex.watch(results);
    const session = await sandbox.service.openWatchLink(redirect.headers.get('location') ?? '');
    await sandbox.service.endSession(session.id);
    const summary = await alex.message(
      ({ text, thread_ts }) => text.includes('Co-browsing session ended') && thread_ts === question.ts,
    );
    expect(summary.channel).toBe(SUPPORT);
  });

  it('asks before it stops a session, stops it, and says who did', async () => {
    const alex = personIn(sandbox);
    const offer = await alex.type('/cobrowse watch jane4821');
    const redirect = await alex.watch(offer);
    await sandbox.service.openWatchLink(redirect.headers.get('location') ?? '');
    const question = await alex.type('/cobrowse stop jane4821');
    expect(readable(question.blocks)).toContain('In session');
    const answer = await alex.stop(() => alex.press(question, /^Stop/));
    expect(readable(answer.blocks)).toBe(`The session with Jane Cooper was stopped by <@${ALEX}>.`);
    const summary = await alex.message(({ text }) => text.includes('Stopped by'));
    expect(summary.text).toContain(`Stopped by: <@${ALEX}>`);
  });

  it('gives a channel that subscribed a copy of each summary, and its digest on time', async () => {
    const alex = personIn(sandbox);
    await alex.type('/cobrowse subscribe #random');
    await alex.type('/cobrowse digest #random daily 09:00');
    const announced = saidIn(RANDOM).length;
    const redirect = await alex.watch(await alex.type('/cobrowse watch jane4821'));
    const session = await sandbox.service.openWatchLink(redirect.headers.get('location') ?? '');
    await sandbox.service.endSession(session.id);
    await sandbox.slack.until(ALEX, () => saidIn(RANDOM).length === announced + 1);
    clock.ahead += DAY_MS;
    await sandbox.slack.until(ALEX, () => saidIn(RANDOM).length === announced + 2);
    const [copy, digest] = saidIn(RANDOM).slice(announced);
    expect(copy?.text).toContain('Visitor: Jane Cooper');
    expect(digest?.text).toContain('Alex Rivera');
    await alex.type('/cobrowse unsubscribe 1');
    const left = await alex.type('/cobrowse subscriptions');
    expect(left.text).not.toContain('number 1:');
  });

  it('applies an admin’s change of who can watch immediately, and keeps it', async () => {
    const ada = atHome(sandbox, ADA);
    const kim = personIn(sandbox, KIM);
    const hasWatch = async () => {
      const { blocks } = await kim.type('/cobrowse watch jane4821');
      return buttonsIn(blocks).some(({ action_id: action }) => action === ACTION.watch);
    };
    expect(await hasWatch()).toBe(true);
    const say = async (who: string) => {
      await ada.open();
      await ada.press(/^Change: Who \w+ watch/);
      const form = await sandbox.slack.until(ADA, ({ views }) =>
        views.find(({ blocks }) => JSON.stringify(blocks).includes(RULE_FORM.whoBlock)),
      );
      await ada.saved(form, { [RULE_FORM.whoBlock]: who });
    };
    await say(RULE_FORM.admins);
    expect(await hasWatch()).toBe(false);
    await say(RULE_FORM.members);
    expect(await hasWatch()).toBe(true);
  });

  it('lets an admin retry or discard what a channel refused', async () => {
    await failToDeliver('posted again');
    const ada = atHome(sandbox, ADA);
    await ada.open();
    sandbox.slack.changeChannel(SALES, { hasApp: true });
    await ada.press(/^Retry summary 1$/);
    const inSales = () => summariesSeenBy(sandbox.slack).filter(({ channel }) => channel === SALES);
    await sandbox.slack.until(ALEX, () => inSales().length === 1);
    sandbox.slack.changeChannel(SALES, { hasApp: false });
    await failToDeliver('discarded');
    await expect
      .poll(async () => buttonsIn(await ada.open()).map(({ text }) => text.text))
      .toContain('Retry');
    await ada.press(/^D\w+ summary 1$/);
    await expect
      .poll(async () => buttonsIn(await ada.open()).map(({ text }) => text.text))
      .not.toContain('Retry');
    expect(inSales().map(({ id }) => id)).toEqual(['posted again']);
  });

  it('has all of it in the audit for an admin', async () => {
    const { text } = await personIn(sandbox, ADA).type('/cobrowse audit setting');
    expect(text.match(/<@U0ADA000005>/g)).toHaveLength(2);
    const links = await personIn(sandbox, ADA).type('/cobrowse audit @Alex link');
    expect(links.text.match(/jane4821/g)?.length).toBe(4);
  });
});
