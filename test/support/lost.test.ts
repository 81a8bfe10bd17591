import { readFile } from 'node:fs/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startSlack } from '../../sandbox/slack/slack.ts';
import { ALEX, SUPPORT, personIn } from './person.ts';

const MANIFEST = new URL('../../manifest.json', import.meta.url);
const BOT_TOKEN = 'bot-token-of-this-test-only';

/** A Slack on the test's clock, with no app behind it. */
async function openSlack() {
  const clock = { now: Date.now() };
  const manifest: unknown = JSON.parse(await readFile(MANIFEST, 'utf8'));
  const slack = await startSlack({ botToken: BOT_TOKEN, signingSecret: 's', manifest, now: () => clock.now });
  onTestFinished(() => slack.close());
  const call = (method: string, args: object) =>
    fetch(`${slack.apiUrl}${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${BOT_TOKEN}` },
      body: JSON.stringify(args),
    });
  return { slack, call, alex: personIn({ slack }) };
}

describe('somebody who waits in a test', () => {
  it('is told at once that the app did not take what they did', async () => {
    const { slack, alex } = await openSlack();
    const question = await alex.say('Who can help?');
    const opened = alex.shortcut(question, 'find_visitor', () => true);
    await expect(opened).rejects.toThrow('Slack did not take ack: dispatch_failed');
    expect(slack.snapshot(ALEX).views).toEqual([]);
  });

  it('is told at once that a modal was opened with a trigger that is none', async () => {
    const { alex, call } = await openSlack();
    const view = { type: 'modal', title: { type: 'plain_text', text: 'Late' }, blocks: [] };
    const waiting = alex.modal(() => true).catch(String);
    await call('views.open', { trigger_id: '1.2', view });
    expect(await waiting).toContain('Slack did not take views.open: invalid_trigger_id');
  });

  it('is told at once that a message was not sound', async () => {
    const { alex, call } = await openSlack();
    const waiting = alex.message(() => false).catch(String);
    await call('chat.postMessage', { channel: SUPPORT, text: 'x', blocks: [{ type: 'nonsense' }] });
    expect(await waiting).toContain('Slack did not take chat.postMessage: invalid_blocks');
  });

  it('goes on waiting where the test itself planned that Slack refuses', async () => {
    const { slack, alex, call } = await openSlack();
    slack.fail('chat.postMessage', 'invalid_blocks');
    const waiting = alex.message(({ text }) => text === 'second');
    await call('chat.postMessage', { channel: SUPPORT, text: 'first' });
    await call('chat.postMessage', { channel: SUPPORT, text: 'second' });
    expect((await waiting).channel).toBe(SUPPORT);
  });
});
