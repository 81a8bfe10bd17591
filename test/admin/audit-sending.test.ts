import { describe, expect, it } from 'vitest';
import { ALEX, SAM, personIn } from '../support/person.ts';
import { ADA, auditedSandbox } from './audit-stage.ts';

describe('Get the file', () => {
  const { sandbox, ada, ask, write, records, sentFile } = auditedSandbox();
  const press = async (filter = '') => ada().pressFor(await ask(filter), /^Get the same as JSON lines/);

  it('sends what was asked for to the admin’s direct messages, a record a line', async () => {
    for (let number = 0; number < 23; number += 1) await write({ action: 'stop', visitorId: `v${number}` });
    await write({ action: 'link' });
    const { text } = await press('stops');
    expect(text).toBe('I sent you the file with 23 records as a direct message.');
    expect(sentFile().map(({ visitorId }) => visitorId)).toEqual(
      Array.from({ length: 23 }, (_, index) => `v${22 - index}`),
    );
    const message = await ada().message(({ files }) => files.length > 0);
    expect(message.files).toMatchObject([{ name: expect.stringMatching(/^audit-log-[\d-]{10}\.jsonl$/) }]);
    const toAda = sandbox().slack.calls.findLast(({ method }) => method === 'conversations.open');
    expect(toAda?.args).toEqual({ users: ADA });
    const [newest] = await records();
    const detail = { found: 23, file: true };
    expect(newest).toMatchObject({ userId: ADA, action: 'audit', outcome: 'sent', detail });
    for (const other of [ALEX, SAM])
      expect(
        personIn(sandbox(), other)
          .messages()
          .flatMap(({ files }) => files),
      ).toEqual([]);
  });

  it('is a table for a spreadsheet, unless JSON lines are asked for, and comes at once where its form is typed', async () => {
    const all = 'I sent you the file with 23 records as a direct message.';
    expect((await ada().pressFor(await ask('stops'), /^Get the file/)).text).toBe(all);
    const upload = sandbox().slack.calls.findLast(({ method }) => method === 'upload');
    const content = new Map(Object.entries(upload?.args ?? {})).get('text');
    expect(content).toContain('"U0SAM000002","stopped v22’s session","stop","done","","v22",""');
    await ada().message(({ files }) => files.some(({ name }) => name.endsWith('.csv')));
    for (const typed of ['stops csv', 'as a file stops last 7 days', 'stops jsonl'])
      expect((await ask(typed)).text).toBe(all);
    expect(sentFile()).toHaveLength(23);
  });

  it.each([
    ['files.getUploadURLExternal', 'missing_scope', 'Slack didn’t take the file: missing_scope.'],
    ['files.completeUploadExternal', { retryAfter: 30 }, 'Slack didn’t take the file: ratelimited.'],
    ['files.completeUploadExternal', 'lose-answer', 'Check your direct messages'],
    ['conversations.open', 'user_disabled', 'Slack didn’t take the file: user_disabled.'],
    ['conversations.open', { status: 502 }, 'Slack didn’t take the file: http_502.'],
    ['upload', { status: 500 }, 'Slack didn’t take the file: http_500.'],
    ['upload', 'lose-answer', 'Slack didn’t take the file: no_answer.'],
  ] as const)('says what to do where %s fails with %j', async (method, how, words) => {
    const page = await ask('stops');
    sandbox().slack.fail(method, how);
    const { text } = await ada().pressFor(page, /^Get the file/);
    expect(text).toContain(words);
    const [newest] = await records();
    expect(newest).toMatchObject({ action: 'audit', outcome: 'not-sent' });
  });

  it('is for who is an admin at the press: the right may be lost since the page was shown', async () => {
    const page = await ask('stops');
    sandbox().slack.changePerson(ADA, { admin: false });
    const { text } = await ada().pressFor(page, /^Get the file/);
    sandbox().slack.changePerson(ADA, { admin: true });
    expect(text).toContain('Only admins can see the audit log.');
    const [newest] = await records();
    expect(newest).toMatchObject({ userId: ADA, action: 'refusal', outcome: 'not-admin' });
  });
});
