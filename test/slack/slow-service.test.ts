import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningApp } from '../../src/app.ts';
import { answerFollows, stillWorking } from '../../src/messages/message.ts';
import { startOddService, type OddService } from '../commands/odd-service.ts';
import { appBefore, checkedSandbox } from '../support/checked-sandbox.ts';
import { ALEX, SUPPORT, personIn } from '../support/person.ts';
import { isForm, shows } from './forms.ts';

const jane = { short_id: 'j1', identities: ['Jane'], is_online: false };
const known = { status: 'ok', visitors: [jane], visitor: jane };

describe('a service that is slow', () => {
  const { sandbox } = checkedSandbox();
  let service: OddService;
  let app: RunningApp;
  const alex = () => personIn(sandbox());

  beforeAll(async () => {
    service = await startOddService();
    app = await appBefore(sandbox(), service.url);
  });
  afterAll(async () => {
    await app.stop();
    await service.close();
  });

  function answersAgain(): void {
    service.answers(200, known);
    service.release(known);
  }

  /** The modal itself, which says so alone. */
  const modalWaiting = () => sandbox().slack.until(ALEX, ({ views }) => views.find(shows(stillWorking.text)));
  const answered = (id: string) => alex().modal((view) => view.id === id && shows('Jane')(view));

  it('is told to who types a search, in words that stay true above the answer', async () => {
    service.holdsBack();
    await sandbox().slack.command({ as: ALEX, channel: SUPPORT, text: '/cobrowse find jane' });
    const told = await alex().message(({ text }) => text === answerFollows.text);
    answersAgain();
    const found = await alex().message(({ text }) => text.includes('Jane'));
    expect([told.ephemeral, found.ephemeral]).toEqual([true, true]);
  });

  it('is told in place of the message whose button was pressed, which the answer then replaces', async () => {
    service.answers(503);
    const failed = await alex().type('/cobrowse find jane');
    service.holdsBack();
    await alex().press(failed, /^Retry/);
    const told = await alex().message(({ ts, text }) => ts === failed.ts && text !== failed.text);
    expect(told.text).toBe(stillWorking.text);
    answersAgain();
    await alex().message(({ ts, text }) => ts === failed.ts && text.includes('Jane'));
  });

  it('is told in the modal of a shortcut, and of a form', async () => {
    service.answers(200, known);
    const [named, unnamed] = [await alex().say('from jane@acme.example'), await alex().say('hello')];
    service.holdsBack();
    const about = { channel: SUPPORT, message_ts: named.ts };
    await sandbox().slack.shortcut({ as: ALEX, ...about, callback_id: 'find_visitor' });
    const { id } = await modalWaiting();
    answersAgain();
    await answered(id);
    const form = await alex().shortcut(unnamed, 'find_visitor', isForm);
    service.holdsBack();
    await alex().submit(form, 'jane');
    expect((await modalWaiting()).id).toBe(form.id);
    answersAgain();
    await answered(form.id);
  });
});
