import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { RunningApp } from '../../src/app.ts';
import { startSandbox, type Sandbox } from '../../sandbox/sandbox.ts';
import { appBefore, expectSound, keptLog } from '../support/checked-sandbox.ts';
import { answerFollows } from '../../src/messages/message.ts';
import { ALEX, personIn } from '../support/person.ts';
import { startOddService, type OddService } from './odd-service.ts';
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

  const MAINTENANCE = '<html>Down for maintenance';
  const PORTAL = '<html>Welcome to the captive portal';

  describe.each([
    ['is busy', () => service.answers(503, MAINTENANCE), /is busy.*\nTry again in a minute\./],
    ['breaks off', () => service.breaksOff(), /can’t reach the co-browsing service\..*tell your admin/s],
    ['isn’t understood', () => service.answers(200, PORTAL), /Unexpected reply from the co-browsing service/],
  ] as const)('where the service %s', (_how, fails, says) => {
    it.each(commands)('is said in words: %s', async (command) => {
      fails();
      const { text } = await ask(command);
      expect(text).toMatch(says);
      expect(text).not.toMatch(/maintenance|portal/);
    });
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

  it('is in the log with its kind, and without what was typed', async () => {
    service.answers(503);
    await ask('find secret-customer-name');
    const line = lines.findLast((entry) => entry.includes('could not answer')) ?? '{}';
    expect(JSON.parse(line)).toMatchObject({ name: 'command find', kind: 'busy', status: 503, userId: ALEX });
    expect(lines.join('')).not.toContain('secret-customer-name');
  });

  it('shows a reference that is in the log where nobody expected it', async () => {
    const ada = personIn(sandbox, ADA);
    const question = await ada.type('/cobrowse delete --offline');
    sandbox.slack.fail('views.open', 'unknown_method');
    const { text } = await ada.pressFor(question, /^Delete all/);
    const reference = /reference ([\w-]+)\./.exec(text)?.[1] ?? 'none';
    const line = lines.find((entry) => entry.includes(reference)) ?? '{}';
    const said = { level: 50, name: 'press delete_offline', reference, userId: ADA };
    expect(JSON.parse(line)).toMatchObject(said);
    expect(line).toContain('unknown_method');
  });

  it('is told twice at most when the service hangs: first that it is slow, then that it gave no answer', async () => {
    service.holdsBack();
    const alex = personIn(sandbox);
    const before = new Set(alex.messages().map(({ ts }) => ts));
    const outcome = await alex.type('/cobrowse usage');
    expect(outcome.text).toContain('didn’t answer in time');
    expect(outcome.text).toContain('Try again in a minute.');
    const told = alex.messages().filter(({ ts, ephemeral }) => ephemeral && !before.has(ts));
    expect(told.map(({ text }) => text)).toEqual([answerFollows.text, outcome.text]);
  });
});
