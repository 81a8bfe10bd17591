import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { holdOpen } from '../../src/slack/forms.ts';
import { loadingModal } from '../../src/messages/modal.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('a form that is being saved reports that Slack couldn’t be reached after two seconds', async () => {
  const failure = new Error('the socket is closed');
  const reported: unknown[] = [];
  const saving = loadingModal({ title: 'Settings', context: '{}' });
  const form = holdOpen(
    () => Promise.reject(failure),
    saving,
    (error) => void reported.push(error),
  );
  await vi.advanceTimersByTimeAsync(2_000);
  await form.acknowledged;
  expect(reported).toEqual([failure]);
});
