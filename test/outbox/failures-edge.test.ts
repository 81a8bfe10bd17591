import { describe, expect, it } from 'vitest';
import { ADA, atHome } from '../home/at-home.ts';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { ALEX, SUPPORT, personIn, readable } from '../support/person.ts';
import { endedSession } from '../sessions/ended-session.ts';
import { summariesSeenBy, webhooksOf } from '../sessions/webhook-stage.ts';

const { sandbox, logLines } = checkedSandbox();

const placesOf = (id: string) =>
  summariesSeenBy(sandbox().slack)
    .filter((summary) => summary.id === id)
    .map(({ channel }) => channel);
/** How Slack treats the next post of a session's summary, and no other one. */
const failNext = (how: string, id: string) =>
  sandbox().slack.fail('chat.postMessage', how, 1, `Agent of ${id}`);
const send = (id: string) => webhooksOf(sandbox()).send(endedSession(id));
/** Once the log has a line with all of these words. */
async function said(...words: readonly string[]): Promise<void> {
  const has = () => logLines.some((line) => words.every((word) => line.includes(word)));
  await expect.poll(has).toBe(true);
}
async function press(label: RegExp, answer: RegExp): Promise<void> {
  const { id } = await atHome(sandbox(), ADA).pressFor(label, answer);
  await sandbox().slack.closeView({ as: ADA, view_id: id });
}
const home = async () => readable(await atHome(sandbox(), ADA).open());

describe('a summary that Slack refuses', () => {
  it.each([
    ['missing_scope', 'The app is missing the scope'],
    ['no_permission', 'organization’s settings don’t allow this (no_permission)'],
  ])('(%s) goes to its agent, and admins see why until they discard it', async (code, words) => {
    failNext(code, code);
    await send(code);
    const notice = await webhooksOf(sandbox()).summaryOf(code);
    expect(notice.channel).not.toBe(SUPPORT);
    expect(notice.text).toContain(words);
    expect(await home()).toContain(words);
    await press(/^Discard summary 1$/, /The summary won’t be posted/);
    await expect.poll(home).toContain('All summaries delivered.');
  });

  it.each(['token_revoked'])(
    '(%s) waits with all others of the workspace, and Retry posts it at once',
    async (code) => {
      failNext(code, code);
      await send(code);
      await said('later', code, 'posting a summary failed, trying again later');
      await send(`${code}-next`);
      expect(await home()).toContain(`Slack refused the app’s token (${code})`);
      expect([placesOf(code), placesOf(`${code}-next`)]).toEqual([[], []]);
      await press(/^Retry summary 1$/, /Retrying/);
      await sandbox().slack.until(ALEX, () => placesOf(code).length === 1);
      expect(placesOf(code)).toEqual([SUPPORT]);
      await sandbox().slack.until(ALEX, () => placesOf(`${code}-next`).length === 1);
    },
  );

  it('(msg_too_long) is posted in short, with the rest in its thread', async () => {
    failNext('msg_too_long', 'long');
    await send('long');
    const { message } = personIn(sandbox());
    const root = await message(
      ({ text, channel }) => channel === SUPPORT && text.includes(' with Agent of long'),
    );
    expect(root.text).not.toContain('Where:');
    expect((await message(({ thread_ts: thread }) => thread === root.ts)).text).toContain('Where:');
  });
});

describe('a summary whose answer is lost', () => {
  it('is there once, and the log says that it had arrived', async () => {
    failNext('lose-answer', 'lost');
    await send('lost');
    await said('lost', '"alreadyPosted":true', 'summary posted');
    expect(placesOf('lost')).toEqual([SUPPORT]);
  });
});
