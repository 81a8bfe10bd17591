import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { RunningApp } from '../../src/app.ts';
import { startSandbox } from '../../sandbox/sandbox.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { appBefore, expectSound, keptLog } from '../support/checked-sandbox.ts';
import { ALEX, personIn, readable, STILL_WORKING } from '../support/person.ts';
import { startOddService } from './odd-service.ts';
import type { OddService } from './odd-service.ts';
import { TYPED } from './typed.ts';

const ADA = 'U0ADA000005';
const REFUSED_KEY = 'refused this app’s key';

describe('a failure of the co-browsing service', () => {
  const { log, lines } = keptLog();
  let sandbox: Sandbox;
  let service: OddService;
  let app: RunningApp;

  beforeAll(async () => {
    sandbox = await startSandbox();
    service = await startOddService();
    app = await appBefore(sandbox, service.url, log);
  });
  afterEach(() => expectSound(sandbox));
  afterAll(async () => {
    await app.stop();
    await service.close();
    await sandbox.close();
  });

  const commands = TYPED.filter(({ asksService }) => asksService).map(({ text }) => text);
  const ask = (text: string) => personIn(sandbox).type(`/cobrowse ${text}`);

  it.each(commands)('is said in words, with what to do, when the service is busy: %s', async (text) => {
    service.answers(503, '<html>Down for maintenance</html>');
    const answer = await ask(text);
    expect(answer.text).toContain('The co-browsing service is busy');
    expect(answer.text).toContain('Try again in a minute.');
    expect(answer.text).not.toContain('maintenance');
  });

  it.each(commands)('is said when the connection breaks off: %s', async (text) => {
    service.breaksOff();
    const answer = await ask(text);
    expect(answer.text).toContain('The app can’t reach the co-browsing service.');
    expect(answer.text).toContain('tell your admin');
  });

  it.each(commands)('is said when the answer is not understood: %s', async (text) => {
    service.answers(200, '<html>Welcome to the captive portal</html>');
    const answer = await ask(text);
    expect(answer.text).toContain('Unexpected reply from the co-browsing service');
    expect(answer.text).not.toContain('portal');
  });

  it.each([
    ['invalid_api_key', 'check the key: COBROWSE_API_KEY'],
    ['no_subscription', 'renew the co-browsing subscription'],
    ['subscription_expired', 'renew the co-browsing subscription'],
    ['api_not_enabled', 'turn on the REST API'],
    ['please_contact_team', 'contact the co-browsing service'],
    ['a_code_of_next_year', 'check the key: COBROWSE_API_KEY'],
  ])('names the code of a refused key and what it means: %s', async (code, step) => {
    service.answers(401, { status: 'error', error: code });
    const { text } = await ask('find jane');
    expect(text).toContain(`${REFUSED_KEY} and said “${code}”`);
    expect(text).toContain(step);
  });

  it.each(['', 'no JSON', '{"error": {"nested": true}}', '{"error": "<!channel>"}', '[]'])(
    'is said for a refused key whatever its body: %j',
    async (body) => {
      service.answers(401, body);
      const { text } = await ask('usage');
      expect(text).toContain(REFUSED_KEY);
      expect(text).not.toContain('channel>');
    },
  );

  it.each([
    [301, 'Unexpected reply'],
    [400, 'Unexpected reply'],
    [402, 'Your co-browsing plan doesn’t include this, or its limit is reached.'],
    [403, REFUSED_KEY],
    [418, 'Unexpected reply'],
    [429, 'The co-browsing service is busy'],
    [500, 'The co-browsing service is busy'],
  ])('is said for the status %i', async (status, words) => {
    service.answers(status, '', { location: 'https://evil.example/', 'retry-after': '60' });
    expect((await ask('usage')).text).toContain(words);
  });

  it('is in the log with its kind, and without what was typed', async () => {
    service.answers(503);
    await ask('find secret-customer-name');
    const line = lines.findLast((entry) => entry.includes('could not answer')) ?? '{}';
    expect(JSON.parse(line)).toMatchObject({ name: 'command find', kind: 'busy', status: 503, userId: ALEX });
    expect(lines.join('')).not.toContain('secret-customer-name');
  });

  it('passes: the same command works when the service is well again', async () => {
    service.answers(503);
    expect((await ask('find jane')).text).toContain('The co-browsing service is busy');
    service.answers(200, { status: 'ok', visitors: [{ short_id: 'j1', identities: ['Jane'] }] });
    expect((await ask('find jane')).text).toContain('1 customer matching jane');
  });

  it('leaves out what cannot be read and shows the rest', async () => {
    const visitors = [
      {},
      null,
      { short_id: '' },
      { short_id: 7, identities: 'x', is_online: 'yes', last_url: 5 },
    ];
    service.answers(200, { status: 'ok', visitors });
    const { text } = await ask('find jane');
    expect(text).toContain('1 customer matching jane');
    expect(text).toContain('Presence unknown\nVisitor 7');
  });

  it('is said when the service takes no stop', async () => {
    service.answers(200, { status: 'ok', visitor: { short_id: 'j1', identities: ['Jane'] } });
    const question = await ask('stop j1');
    service.answers(500);
    const alex = personIn(sandbox);
    const answer = await alex.stop(() => alex.press(question, /^Stop/));
    expect(readable(answer.blocks)).toContain('The co-browsing service is busy');
  });

  it('shows a reference that is in the log where nobody expected it', async () => {
    const ada = personIn(sandbox, ADA);
    const question = await ada.type('/cobrowse delete --offline');
    sandbox.slack.fail('views.open', 'fatal_error');
    const { text } = await ada.pressFor(question, /^Delete all/);
    const reference = /reference ([\w-]+)\./.exec(text)?.[1] ?? 'none';
    const line = lines.find((entry) => entry.includes(reference)) ?? '{}';
    expect(JSON.parse(line)).toMatchObject({
      level: 50,
      name: 'press delete_offline',
      reference,
      userId: ADA,
    });
    expect(line).toContain('fatal_error');
  });

  it('is told twice at most when the service hangs: first that it is slow, then that it gave no answer', async () => {
    service.holdsBack();
    const alex = personIn(sandbox);
    const before = new Set(alex.messages().map(({ ts }) => ts));
    const outcome = await alex.type('/cobrowse usage');
    expect(outcome.text).toContain('didn’t answer in time');
    expect(outcome.text).toContain('Try again in a minute.');
    const told = alex.messages().filter(({ ts, ephemeral }) => ephemeral && !before.has(ts));
    expect(told.map(({ text }) => text)).toEqual([STILL_WORKING, outcome.text]);
  });
});

describe('a slow co-browsing service', () => {
  it('keeps Slack waiting for nothing: acknowledged, then told, then answered', async () => {
    const sandbox = await startSandbox();
    const service = await startOddService();
    const app = await appBefore(sandbox, service.url);
    try {
      service.holdsBack();
      const alex = personIn(sandbox);
      const acknowledged = sandbox.slack.command({
        as: ALEX,
        channel: 'C0SUPPORT01',
        text: '/cobrowse usage',
      });
      await acknowledged;
      expect(sandbox.slack.calls.filter(({ method }) => method === 'response_url')).toEqual([]);
      // By now the app may have asked Slack who types.
      const acks = sandbox.slack.calls.filter(({ method }) => method === 'ack');
      expect(acks).toEqual([{ method: 'ack', args: '' }]);
      await alex.message(({ text }) => text === STILL_WORKING);
      service.release({ status: 'ok', usage: { visitors: { online_now: 3 } } });
      const answer = await alex.message(({ text }) => text.includes('3 online now'));
      expect(alex.messages().filter(({ from_slack }) => from_slack)).toEqual([]);
      expect(alex.messages().at(-1)).toEqual(answer);
    } finally {
      await app.stop();
      await service.close();
      await sandbox.close();
    }
  });
});
