import { afterEach, describe, expect, it } from 'vitest';
import { startSandbox } from '../../sandbox/sandbox.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { PATIENT_MS, expectSound } from '../support/checked-sandbox.ts';
import { ALEX, SUPPORT, anotherLink, buttonsIn, personIn, readable } from '../support/person.ts';

let sandbox: Sandbox;

afterEach(async () => {
  await sandbox.close();
  expectSound(sandbox);
});

/** Alex, in a sandbox of the test's own. */
async function start(options: Parameters<typeof startSandbox>[0] = {}) {
  sandbox = await startSandbox({ paceMs: 0, pageWaitMs: PATIENT_MS, ...options });
  return personIn(sandbox);
}

/** Presses Watch as the browser does, and gives the link. */
async function watch(visitorId = 'jane4821') {
  const alex = personIn(sandbox);
  const opened = await alex.watch(await alex.type(`/cobrowse watch ${visitorId}`));
  return (await anotherLink(opened)).headers.get('location') ?? '';
}

const isCard = ({ text }: { readonly text: string }) => text.includes('’s screen · ');
const isSummary = ({ text }: { readonly text: string }) => text.includes('Co-browsing session ended');

/** Opens a link, and ends its session. */
async function end(link: string) {
  const session = await sandbox.service.openWatchLink(link);
  await sandbox.service.endSession(session.id);
}

describe('the live card', () => {
  it('says in the channel whose screen was asked for, then becomes the summary, with the rest in its thread', async () => {
    const alex = await start();
    const link = await watch();
    const card = await alex.message(isCard);
    expect(card).toMatchObject({ channel: SUPPORT, ephemeral: false });
    expect(card.text).toContain('Alex Rivera asked to see Jane Cooper’s screen');
    expect(card.text).toContain('Full control.');
    await end(link);
    expect(await alex.message(isSummary)).toMatchObject({ ts: card.ts, edited: true });
    const detail = await alex.message(({ thread_ts: thread }) => thread === card.ts);
    expect(detail.text).toContain('Access: Full control');
    expect(alex.messages().filter(isCard)).toEqual([]);
  });

  it('stops the session from the card', async () => {
    const alex = await start();
    const link = await watch();
    await sandbox.service.openWatchLink(link);
    const card = await alex.message(isCard);
    const answer = await alex.stop(() => alex.press(card, /^Stop/), 'It was the wrong customer.');
    expect(readable(answer.blocks)).toContain('was stopped by');
    const detail = await alex.message(({ text }) => text.includes('Stopped by'));
    expect(detail.thread_ts).toBe(card.ts);
    expect(detail.text).toContain('Reason: It was the wrong customer.');
  });

  it('is posted again as a whole summary if somebody deleted it, with nothing in its thread', async () => {
    const alex = await start();
    const link = await watch();
    const card = await alex.message(isCard);
    sandbox.slack.fail('chat.update', 'message_not_found', 1, 'Co-browsing session ended');
    await end(link);
    const summary = await alex.message(isSummary);
    expect(summary.ts).not.toBe(card.ts);
    expect(summary.text).toContain('Access: Full control');
    await watch('priya55');
    await alex.message(({ text }) => text.includes('Priya'));
    expect(alex.messages().filter(({ thread_ts: thread }) => thread !== undefined)).toEqual([]);
  });

  it('shows hostile names as text', async () => {
    const alex = await start();
    for (const id of ['evil1', 'long3']) {
      const link = await watch(id);
      const card = await alex.message(isCard);
      expect(card.text).not.toMatch(/<!|<http/);
      expect(card.text.length).toBeLessThan(600);
      await end(link);
      await alex.message((message) => message.ts === card.ts && isSummary(message));
    }
  });

  it.each([
    ['on-premise', ['Full control.', 'a few minutes after the session ends']],
    ['on-premise-connected', ['No summary follows']],
  ] as const)('has no Stop %s, and says what follows', async (deployment, words) => {
    const alex = await start({ deployment });
    await watch();
    const card = await alex.message(isCard);
    for (const said of words) expect(card.text).toContain(said);
    expect(buttonsIn(card.blocks)).toMatchObject([
      { action_id: 'ask_colleague' },
      { action_id: 'ask_channel' },
    ]);
  });
});

it('Start co-browsing doesn’t ask where a summary goes where none follows', async () => {
  const alex = await start({ deployment: 'on-premise-connected' });
  await sandbox.slack.globalShortcut({ as: ALEX, callback_id: 'start_cobrowsing' });
  const form = await alex.modal((view) => view.submit === 'Continue');
  expect(form.blocks.map(({ block_id: id }) => id)).toEqual(['visitor', 'access']);
});
