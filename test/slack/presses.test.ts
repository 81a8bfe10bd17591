import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startLocalService, type LocalService } from '../cobrowse/local-service.ts';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { problemsIn } from '../support/shown.ts';
import { pressOf, sendInteraction } from './send-payload.ts';

const Answer = z.looseObject({ text: z.string(), replace_original: z.boolean(), response_type: z.string() });

describe('a press that no page would send', () => {
  const { sandbox, logLines } = checkedSandbox();
  const answers: unknown[] = [];
  let address: LocalService;

  beforeAll(async () => {
    address = await startLocalService((request, response) => {
      void json(request).then((answer) => response.end('ok', () => answers.push(answer)));
    });
  });
  afterAll(() => address.close());

  async function answerTo(actionId: string, value: string, more: object = {}) {
    const before = answers.length;
    const place = { channel: { id: 'C0SUPPORT01' }, container: { type: 'message', is_ephemeral: true } };
    const press = pressOf(actionId, value, { response_url: `${address.url}/response`, ...place, ...more });
    expect((await sendInteraction(sandbox(), press)).status).toBe(200);
    await expect.poll(() => answers.length).toBe(before + 1);
    const answer = Answer.parse(answers.at(-1));
    expect(problemsIn({ surface: 'message', payload: answer })).toEqual([]);
    return answer;
  }

  it.each([
    ['button_of_next_year', 'x'],
    ['find_more', 'no JSON'],
    ['find_more', '{"query":"x","offset":-1}'],
  ])('hears that the button is from another version of the app: %s with %j', async (actionId, value) => {
    const from = logLines.length;
    const { text } = await answerTo(actionId, value);
    expect(text).toContain('from another version of the app. Run the command again.');
    expect(logLines.slice(from).filter((line) => /"level":[56]0/.test(line))).toEqual([]);
  });

  it.each([
    ['a reply', { message: { ts: '2.000001', thread_ts: '1.000001' } }, '1.000001'],
    ['an answer in a thread', { container: { thread_ts: '1.000001', is_ephemeral: false } }, '1.000001'],
    ['what starts a thread', { message: { ts: '1.000001', thread_ts: '1.000001' } }, undefined],
    ['no thread', { message: { ts: '1.000001', thread_ts: null } }, undefined],
  ])('under %s is answered where it was made', async (_what, more, threadTs) => {
    const answer = await answerTo('visitor', 'jane4821', { container: { is_ephemeral: false }, ...more });
    expect(answer['thread_ts']).toBe(threadTs);
  });

  const shared = { container: { type: 'message', is_ephemeral: false, message_ts: '1.000001' } };

  it.each([
    ['replaces what one person sees', {}, true],
    ['never replaces what everyone sees: the answer goes to whoever pressed', shared, false],
  ])('%s', async (_, more, replaces) => {
    const answer = await answerTo('find_more', JSON.stringify({ query: '', offset: 10 }), more);
    expect(answer).toMatchObject({ replace_original: replaces, response_type: 'ephemeral' });
  });
});
