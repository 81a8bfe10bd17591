import { afterEach, describe, expect, it } from 'vitest';
import { startSandbox } from '../../sandbox/sandbox.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { expectSound, PATIENT_MS } from '../support/checked-sandbox.ts';
import { ALEX, buttonsIn, personIn } from '../support/person.ts';

let sandbox: Sandbox;

afterEach(async () => {
  await sandbox.close();
  expectSound(sandbox);
});

const start = async (options: Parameters<typeof startSandbox>[0] = {}) => {
  sandbox = await startSandbox({ paceMs: 0, pageWaitMs: PATIENT_MS, ...options });
  return personIn(sandbox);
};

async function watch(visitorId = 'jane4821', times = 1): Promise<readonly string[]> {
  const alex = personIn(sandbox);
  const offer = await alex.type(`/cobrowse watch ${visitorId}`);
  const presses = Array.from({ length: times }, () => alex.watch(offer));
  return (await Promise.all(presses)).map(({ headers }) => headers.get('location') ?? '');
}

const isCard = ({ text }: { readonly text: string }) => text.includes('’s screen · ');
const isSummary = ({ text }: { readonly text: string }) => text.includes('Co-browsing session ended');
const isDetail = ({ text }: { readonly text: string }) => text.includes('Access: ') && !text.includes('link');
const told = () => sandbox.slack.calls.filter(({ method }) => method.startsWith('chat.'));

/** Ends the session of a link, and gives it. */
async function end(link = '') {
  const session = await sandbox.service.openWatchLink(link);
  await sandbox.service.endSession(session.id);
  return session;
}

describe('the live card when things collide', () => {
  it('becomes the summary even if the session ends while the card is being looked up and posted', async () => {
    const alex = await start();
    // The visitor's name for the card is still being looked up when the session ends.
    sandbox.service.misbehave({ latencyMs: 300 });
    const [link] = await watch();
    // It may be asked for before the browser is led on, but not before the link is.
    const sinceLink = () => {
      const asked = sandbox.service.requests.map(({ method, path }) => `${method} ${path}`);
      const given = asked.findIndex((one) => /^POST .*jane4821\/watch_url/.test(one));
      return given === -1 ? [] : asked.slice(given);
    };
    await expect.poll(sinceLink).toContainEqual(expect.stringMatching(/^GET .*jane4821/));
    await end(link);
    expect(alex.messages().filter(isCard)).toEqual([]);
    const summary = await alex.message(isSummary);
    expect(summary.edited).toBe(true);
    await alex.message((message) => message.thread_ts === summary.ts && isDetail(message));
    expect(alex.messages().filter(isSummary)).toHaveLength(1);
    expect(alex.messages().filter(isCard)).toEqual([]);
  });

  it('is one card for a double click', async () => {
    const alex = await start();
    const [first, second] = await watch('jane4821', 2);
    expect(first).not.toBe(second);
    await alex.message(isCard);
    await end(second);
    await alex.message(isSummary);
    expect(alex.messages().filter(isCard)).toEqual([]);
  });

  it('becomes the summary of the session that ends first; the other session gets a separate one', async () => {
    const alex = await start();
    const [first, second] = await watch('jane4821', 2);
    const card = await alex.message(isCard);
    await end(second);
    await alex.message((message) => message.ts === card.ts && isSummary(message));
    await end(first);
    const other = await alex.message((message) => message.ts !== card.ts && isSummary(message));
    // The detail of the first summary is a post of its own, after the summary.
    await alex.message((message) => message.thread_ts === card.ts);
    expect(other.text).toContain('Access: Full control');
    expect(alex.messages().filter(isSummary)).toHaveLength(2);
    expect(alex.messages().filter((message) => message.thread_ts === card.ts)).toHaveLength(1);
  });

  it('waits if Slack asks for patience with the change, and is changed once', async () => {
    const alex = await start();
    const [link] = await watch();
    const card = await alex.message(isCard);
    sandbox.slack.fail('chat.update', { retryAfter: 1 });
    await end(link);
    const summary = await alex.message(isSummary);
    expect(summary.ts).toBe(card.ts);
    await alex.message((message) => message.thread_ts === card.ts && isDetail(message));
    expect(told().map(({ method, error }) => error ?? method)).toEqual([
      'chat.postMessage',
      expect.stringMatching(/429|ratelimited/),
      'chat.update',
      'chat.postMessage',
    ]);
  });

  it('is changed again if Slack loses the answer, and has its detail once', async () => {
    const alex = await start();
    const [link] = await watch();
    const card = await alex.message(isCard);
    sandbox.slack.fail('chat.update', 'lose-answer');
    await end(link);
    await alex.message((message) => message.thread_ts === card.ts && isDetail(message));
    expect(
      alex
        .messages()
        .filter(isSummary)
        .map(({ ts }) => ts),
    ).toEqual([card.ts]);
    expect(alex.messages().filter(isDetail)).toHaveLength(1);
  });

  it('leaves nothing in the thread of a deleted card: the new summary says it all', async () => {
    const alex = await start();
    const [link] = await watch();
    await alex.message(isCard);
    sandbox.slack.fail('chat.update', 'message_not_found');
    await end(link);
    await alex.message(isSummary);
    await watch('priya55');
    await alex.message(({ text }) => text.includes('Priya'));
    expect(alex.messages().filter(({ thread_ts: thread }) => thread !== undefined)).toEqual([]);
  });

  it('shows hostile names as text', async () => {
    const alex = await start();
    for (const id of ['evil1', 'long3']) {
      const [link] = await watch(id);
      const card = await alex.message(isCard);
      expect(card.text).not.toMatch(/<!|<http/);
      expect(card.text.length).toBeLessThan(600);
      await end(link);
      await alex.message((message) => message.ts === card.ts && isSummary(message));
    }
  });
});

describe('the live card on-premise', () => {
  it('says who opened whose screen, promises a summary a few minutes late, and has no Stop', async () => {
    const alex = await start({ deployment: 'on-premise' });
    await watch();
    const card = await alex.message(isCard);
    expect(card.text).toContain('Full control.');
    expect(card.text).toContain('a few minutes after the session ends');
    expect(buttonsIn(card.blocks)).toEqual([]);
  });
});

describe('the live card of an installation without the cloud', () => {
  it('promises no summary', async () => {
    const alex = await start({ deployment: 'on-premise-connected' });
    await watch();
    const card = await alex.message(isCard);
    expect(card.text).toContain('No summary follows');
    expect(buttonsIn(card.blocks)).toEqual([]);
  });

  it('is followed by a form of Start co-browsing that doesn’t ask where a summary goes', async () => {
    const alex = await start({ deployment: 'on-premise-connected' });
    await sandbox.slack.globalShortcut({ as: ALEX, callback_id: 'start_cobrowsing' });
    const form = await alex.modal((view) => view.submit === 'Continue');
    expect(form.blocks.map(({ block_id: id }) => id)).toEqual(['visitor', 'access']);
  });
});
