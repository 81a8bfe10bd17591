import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { startLocalService } from '../cobrowse/local-service.ts';
import { checkedSandbox, keptLog } from '../support/checked-sandbox.ts';
import { ALEX } from '../support/person.ts';
import { signedSender } from '../support/signed.ts';
import {
  CommandPayload,
  EventPayload,
  GlobalShortcutPayload,
  MessageShortcutPayload,
  PressPayload,
  SubmissionPayload,
  SuggestionPayload,
  createPayloadReader,
} from '../../src/slack/payloads.ts';
import { encoded, genuine } from './genuine-payloads.ts';

const SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  command: CommandPayload,
  block_actions: PressPayload,
  view_submission: SubmissionPayload,
  message_action: MessageShortcutPayload,
  shortcut: GlobalShortcutPayload,
  block_suggestion: SuggestionPayload,
  event_callback: EventPayload,
};
const read = createPayloadReader(keptLog().log);

/** All that Slack's payloads may leave out, null wherever it isn't there. */
const OPTIONAL = {
  top: ['team', 'channel', 'message', 'container', 'view', 'response_url', 'enterprise', 'authorizations'],
  message: ['user', 'bot_id', 'thread_ts', 'blocks', 'attachments', 'files', 'text'],
  view: ['title', 'private_metadata', 'app_installed_team_id', 'callback_id'],
  user: ['team_id'],
};
const withNulls = (value: unknown, names: readonly string[]) => ({
  ...Object.fromEntries(names.map((name) => [name, null])),
  ...Object(value),
});
function nulled(payload: Readonly<Record<string, unknown>>) {
  const inner = (['message', 'view', 'user'] as const).filter((name) => name in payload);
  return withNulls(
    {
      ...payload,
      ...Object.fromEntries(inner.map((name) => [name, withNulls(payload[name], OPTIONAL[name])])),
    },
    OPTIONAL.top,
  );
}

describe('a payload of Slack’s with null where a field may be missing', () => {
  it.each(Object.entries(SCHEMAS))('is read as without it: %s', (type, schema) => {
    const some = genuine.filter((one) => (one['type'] ?? 'command') === type);
    expect(some).not.toEqual([]);
    for (const payload of some) {
      const usual = read('press', schema, payload);
      expect(usual).toBeDefined();
      expect(read('press', schema, nulled(payload))).toEqual(usual);
    }
  });
});

describe('a payload that can’t be read', () => {
  const { sandbox } = checkedSandbox();

  /** What is posted to its response URL, and how it's acknowledged. */
  async function answerTo(payload: Readonly<Record<string, unknown>>) {
    const posted: string[] = [];
    const address = await startLocalService((request, response) => {
      void text(request).then((body) => posted.push(body) && response.end('ok'));
    });
    onTestFinished(() => address.close());
    const { body, type } = encoded({ ...payload, response_url: `${address.url}/` });
    const acknowledged = await signedSender(sandbox())(body, { 'content-type': type });
    return { posted, acknowledged: await acknowledged.text() };
  }
  const WORDS = 'Slack sent this in a form that the app can’t read';

  it.each([
    ['message_action', { message: 7 }],
    ['command', { user_id: '' }],
  ])('is answered with words where Slack left an address for them: %s', async (type, wrong) => {
    const payload = genuine.find((one) => (one['type'] ?? 'command') === type);
    const { posted } = await answerTo({ ...payload, ...wrong });
    await expect.poll(() => posted.join('')).toContain(WORDS);
  });

  it.each([
    ['shortcut', { callback_id: 7 }],
    ['block_actions', { view: { type: 'modal' } }],
  ])('is answered in a direct message where it left none: %s', async (type, wrong) => {
    const payload = genuine.find((one) => one['type'] === type);
    const team = { id: 'T0ACME00000' };
    const before = sandbox().slack.calls.length;
    const { body, type: contentType } = encoded({
      ...payload,
      team,
      user: { id: ALEX, team_id: team.id },
      response_url: undefined,
      ...wrong,
    });
    await signedSender(sandbox())(body, { 'content-type': contentType });
    const said = () =>
      sandbox()
        .slack.calls.slice(before)
        .filter(({ args }) => JSON.stringify(args).includes(WORDS))
        .map((call) => call.method);
    await expect.poll(said).toEqual(['chat.postMessage']);
  });

  it('is answered with words in the form itself', async () => {
    const payload = genuine.find(({ type }) => type === 'view_submission');
    const { acknowledged } = await answerTo({ ...payload, user: 7 });
    expect(acknowledged).toContain(WORDS);
  });
});
