import { describe, expect, it, onTestFinished } from 'vitest';
import { startLocalService } from '../cobrowse/local-service.ts';
import { appBefore, checkedSandbox } from '../support/checked-sandbox.ts';
import { ALEX, SAM, SUPPORT, buttonsIn, personIn, readable } from '../support/person.ts';
import { storeInFile } from '../support/settings-values.ts';
import { RANDOM, postsIn } from './stage.ts';

const SHARED = 'C0SHARED004';
const NAME = '<!channel> *Jane* <https://evil.example|Jane>';

const seed = [
  {
    short_id: 'jane',
    identities: [NAME],
    is_online: true,
    is_waiting_for_call: true,
    stays: true,
    last_url: 'https://shop.acme.example/checkout?token=secret',
  },
  { short_id: 'liam', identities: ['Liam O’Brien'], is_online: true, stays: true },
];

describe('customers who wait, in a channel that wants to hear of them', () => {
  const clock = { ahead: 0 };
  const { sandbox, logLines } = checkedSandbox({
    storeUrl: storeInFile(),
    service: { seed },
    schedulerMs: 20,
    now: () => Date.now() + clock.ahead,
  });
  const person = (userId: string = ALEX, channel?: string) => personIn(sandbox(), userId, channel);
  const posts = (channel: string) => postsIn(sandbox(), channel);
  /** Once it says so. */
  const post = (words: string) =>
    person().message(
      ({ channel, ephemeral, text }) => channel === SUPPORT && !ephemeral && text.includes(words),
    );
  const listed = async () => (await person().type('/cobrowse subscriptions')).text;
  const asked = () => sandbox().service.requests.filter(({ path }) => path.includes('/list')).length;

  it('aren’t looked for before', async () => {
    await person().type('/cobrowse subscribe all');
    expect(asked()).toBe(0);
  });

  it('are set up by typing, and say what the channel gets', async () => {
    const answer = await person().type('/cobrowse subscribe waiting');
    expect(answer.text).toContain(
      'now gets a message when a customer waits for help, and a reminder after 5 minutes.',
    );
    expect(posts(SUPPORT).at(-1)?.text).toContain(`<@${ALEX}> set up a subscription`);
    expect((await person().type('/cobrowse subscribe waiting')).text).toContain('already gets');
  });

  it('are posted without what their name or page says being markup, and lead to their screen', async () => {
    const told = await post('is waiting for help on /checkout.');
    expect(told.text).toMatch(/^&lt;!channel&gt; .* is waiting for help on \/checkout\.$/);
    expect(JSON.stringify(told)).not.toContain('secret');
    expect(buttonsIn(told.blocks).map(({ text }) => text.text)).toEqual(['Watch', 'I’m on it']);
    const offer = await person(SAM).pressFor(told, /^Watch/);
    expect(buttonsIn(offer.blocks)[0]?.url).toContain('/watch/');
  });

  it('change as somebody takes them, and back', async () => {
    const told = await post('is waiting for help on');
    const answer = await person(SAM).pressFor(told, /^I’m on it/);
    expect(answer.text).toContain('You’re on it');
    await post(`<@${SAM}> is on it.`);
    expect(posts(SUPPORT).filter(({ text }) => text.includes('is waiting for help on'))).toHaveLength(1);
    clock.ahead += 4_000;
    await person(SAM).pressFor(answer, /^I’m not on it/);
    await expect.poll(() => posts(SUPPORT).some(({ text }) => text.includes('is on it'))).toBe(false);
  });

  it('say who was given a link to their screen, and that the wait is over', async () => {
    const { headers } = await person(SAM).watch(await person(SAM).type('/cobrowse watch jane'));
    clock.ahead += 61_000;
    await post(`<@${SAM}> is on it.`);
    await sandbox().service.openWatchLink(headers.get('location') ?? '');
    clock.ahead += 61_000;
    const over = await post('isn’t waiting for help any more.');
    expect(over.text).toContain(`<@${SAM}> was on it.`);
    expect(buttonsIn(over.blocks)).toEqual([]);
  });

  it('leave no audit entry by being looked for', () => {
    const searches = logLines.filter((line) => line.includes('"action":"search"'));
    expect(searches.filter((line) => !line.includes(`"userId":"${SAM}"`))).toEqual([]);
    expect(asked()).toBeGreaterThan(1);
  });

  it('aren’t told of in a channel that another organization reads', async () => {
    const answer = await person(ALEX, SHARED).type('/cobrowse subscribe waiting');
    expect(answer.text).toContain('is shared with another organization');
    expect(await listed()).not.toContain(SHARED);
  });

  it('have no filters', async () => {
    const wrong = await person(ALEX, RANDOM).type('/cobrowse subscribe waiting tag:vip');
    expect(wrong.text).toContain('Customers who wait can’t be filtered');
    await person(ALEX, RANDOM).type('/cobrowse subscribe waiting');
  });

  it('are set up and edited in a form, which says what can’t be seen', async () => {
    const offer = await person(ALEX, RANDOM).type('/cobrowse subscribe');
    await person(ALEX, RANDOM).press(offer, /^Customers waiting for help/);
    const form = await person().modal(
      ({ title, submit }) => title === 'Customers waiting' && submit !== undefined,
    );
    expect(readable(form.blocks)).toContain('up to 1,000 customers');
    const state = {
      channel: { value: { type: 'conversations_select', selected_conversation: RANDOM } },
      content: { value: { type: 'static_select', selected_option: { value: '10' } } },
    };
    await sandbox().slack.submit({ as: ALEX, view_id: form.id, state });
    const words = 'a message when a customer waits for help, and a reminder after 10 minutes';
    await expect.poll(() => posts(RANDOM).at(-1)?.text).toContain(`${words}.\nIt replaces subscription 3`);
    const list = await person().type('/cobrowse subscriptions');
    await person().press(list, /^Edit subscription 4/);
    const edit = await person().modal(
      ({ title, submit }) => title === 'Edit subscription' && submit !== undefined,
    );
    expect(JSON.stringify(edit.blocks)).toMatch(/"initial_option":\{[^}]*\{[^}]*after 10 minutes/);
    await sandbox().slack.closeView({ as: ALEX, view_id: edit.id });
  });
});

describe('customers who wait, where the service doesn’t say so', () => {
  const { sandbox } = checkedSandbox();

  it('can’t be subscribed to, and the answer says what to do', async () => {
    const visitors = [{ short_id: 'jane', is_online: true }];
    const service = await startLocalService((_request, response) =>
      response.end(JSON.stringify({ status: 'ok', visitors })),
    );
    const app = await appBefore(sandbox(), service.url);
    onTestFinished(async () => {
      await app.stop();
      await service.close();
    });
    const answer = await personIn(sandbox(), ALEX).type('/cobrowse subscribe waiting');
    expect(answer.text).toContain('visitorIsWaitingForCall in COBROWSE_WIRE_NAMES');
    expect(postsIn(sandbox(), SUPPORT).filter(({ text }) => text.includes('setting up'))).toEqual([]);
  });
});
