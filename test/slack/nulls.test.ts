import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { startLocalService } from '../cobrowse/local-service.ts';
import { checkedSandbox, keptLog } from '../support/checked-sandbox.ts';
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
const WORDS = 'Slack sent this in a form that the app can’t read';

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

  it.each([
    ['command', { user_id: '' }, 'at its response address'],
    ['message_action', { message: 7 }, 'at its response address'],
    ['view_submission', { user: 7 }, 'in the form itself'],
    ['shortcut', { callback_id: 7, response_url: undefined }, 'in a direct message'],
    ['block_actions', { view: { type: 'modal' }, response_url: undefined }, 'in a direct message'],
  ])('is answered with words: %s with %j, %s', async (type, wrong, place) => {
    const said = { 'at its response address': '', 'in the form itself': '', 'in a direct message': '' };
    const address = await startLocalService((request, response) => {
      void text(request).then((body) => response.end('ok', () => (said['at its response address'] += body)));
    });
    onTestFinished(() => address.close());
    const payload = genuine.find((one) => (one['type'] ?? 'command') === type);
    const before = sandbox().slack.calls.length;
    const { body, type: contentType } = encoded({ ...payload, response_url: `${address.url}/`, ...wrong });
    const answer = await signedSender(sandbox())(body, { 'content-type': contentType });
    said['in the form itself'] = await answer.text();
    const whereItIs = () => {
      const posts = sandbox().slack.calls.slice(before);
      said['in a direct message'] = JSON.stringify(
        posts.filter(({ method }) => method === 'chat.postMessage'),
      );
      return Object.entries(said).flatMap(([where, words]) => (words.includes(WORDS) ? [where] : []));
    };
    await expect.poll(whereItIs).toEqual([place]);
  });
});
