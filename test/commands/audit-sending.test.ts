import { describe, expect, it } from 'vitest';
import { ALEX, SAM, personIn } from '../support/person.ts';
import { ADA, auditedSandbox } from './audit-stage.ts';

describe('Get the file', () => {
  const { sandbox, ada, ask, write, records, sentFile } = auditedSandbox();
  const press = async (filter = '') => ada().pressFor(await ask(filter), /^Get the file/);

  it('sends what was asked for to the admin’s direct messages, a record a line', async () => {
    for (let number = 0; number < 23; number += 1) await write({ action: 'stop', visitorId: `v${number}` });
    await write({ action: 'link' });
    const { text } = await press('stops');
    expect(text).toBe('The file with 23 records is in your direct messages with this app.');
    expect(sentFile().map(({ visitorId }) => visitorId)).toEqual(
      Array.from({ length: 23 }, (_, index) => `v${22 - index}`),
    );
    const message = await ada().message(({ files }) => files.length > 0);
    expect(message.files).toMatchObject([{ name: expect.stringMatching(/^audit-trail-[\d-]{10}\.jsonl$/) }]);
    const toAda = sandbox().slack.calls.findLast(({ method }) => method === 'conversations.open');
    expect(toAda?.args).toEqual({ users: ADA });
    for (const other of [ALEX, SAM]) {
      expect(
        personIn(sandbox(), other)
          .messages()
          .flatMap(({ files }) => files),
      ).toEqual([]);
    }
  });

  it('is written down', async () => {
    const [newest] = await records();
    expect(newest).toMatchObject({
      userId: ADA,
      action: 'audit',
      outcome: 'sent',
      detail: { found: 23, file: true },
    });
  });

  it.each([
    ['files.getUploadURLExternal', 'missing_scope', 'has not given it the scope files:write.'],
    ['files.completeUploadExternal', { retryAfter: 30 }, 'Slack did not take the file: ratelimited.'],
    ['files.completeUploadExternal', 'lose-answer', 'Look into your direct messages'],
    ['conversations.open', 'user_disabled', 'Slack did not take the file: user_disabled.'],
    ['conversations.open', { status: 502 }, 'Slack did not take the file: http_502.'],
    ['upload', { status: 500 }, 'Slack did not take the file: http_500.'],
    ['upload', 'lose-answer', 'Slack did not take the file: no_answer.'],
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
    expect(text).toContain('for admins and owners');
    const [newest] = await records();
    expect(newest).toMatchObject({ userId: ADA, action: 'refusal', outcome: 'not-admin' });
  });
});
