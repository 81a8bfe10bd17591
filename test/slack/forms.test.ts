import type { ViewResponseAction } from '@slack/bolt';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { holdOpen } from '../../src/slack/forms.ts';
import { notice } from '../../src/messages/message.ts';
import { messageModal, loadingModal } from '../../src/messages/modal.ts';

const frame = { title: 'Settings', context: '{}' };
const saving = loadingModal(frame);
const refused = messageModal(frame, notice(['Nothing changed.']));

type OpenForm = ReturnType<typeof holdOpen>;

/** A form whose acknowledgements are kept. */
function open(ack: () => Promise<void> = async () => undefined) {
  const answers: (ViewResponseAction | undefined)[] = [];
  const reported: unknown[] = [];
  const form = holdOpen(
    (action) => {
      answers.push(action);
      return ack();
    },
    saving,
    (error) => void reported.push(error),
  );
  return { form, answers, reported };
}

describe('a form that is being saved', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it.each<[string, (form: OpenForm) => Promise<boolean>, unknown]>([
    ['closes if it is saved within two seconds', (form) => form.close(), undefined],
    [
      'shows what is wrong instead',
      (form) => form.show(refused),
      { response_action: 'update', view: refused },
    ],
  ])('%s', async (_, end, expected) => {
    const { form, answers } = open();
    await vi.advanceTimersByTimeAsync(1_999);
    expect(await end(form)).toBe(true);
    await form.acknowledged;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(answers).toEqual([expected]);
  });

  it('says that it is saving after two seconds, and leaves the rest to an update', async () => {
    const { form, answers } = open();
    await vi.advanceTimersByTimeAsync(2_000);
    await form.acknowledged;
    expect(answers).toEqual([{ response_action: 'update', view: saving }]);
    expect([await form.close(), await form.show(refused)]).toEqual([false, false]);
    expect(answers).toHaveLength(1);
  });

  it('reports that Slack couldn’t be reached', async () => {
    const failure = new Error('the socket is closed');
    const { form, reported } = open(() => Promise.reject(failure));
    await vi.advanceTimersByTimeAsync(2_000);
    await form.acknowledged;
    expect(reported).toEqual([failure]);
  });
});
