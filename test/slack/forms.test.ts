import { expect, it, onTestFinished, vi } from 'vitest';
import { holdOpen } from '../../src/slack/forms.ts';
import { loadingModal } from '../../src/messages/modal.ts';

it('a form that is being saved reports that Slack couldn’t be reached after two seconds', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const failure = new Error('the socket is closed');
  const reported: unknown[] = [];
  const saving = loadingModal({ title: 'Settings', context: '{}' });
  const form = holdOpen(() => Promise.reject(failure), saving, reported.push.bind(reported));
  await vi.advanceTimersByTimeAsync(2_000);
  await form.acknowledged;
  expect(reported).toEqual([failure]);
});
