import { describe, expect, it } from 'vitest';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { buttonsIn, personIn, readable } from '../support/person.ts';

const labels = (blocks: Parameters<typeof buttonsIn>[0]) => buttonsIn(blocks).map(({ text }) => text.text);

describe('a search that fails in a way that may pass', () => {
  const { sandbox } = checkedSandbox();
  const alex = () => personIn(sandbox());

  /** What is answered while the service is busy. */
  async function failing<Answer>(ask: () => Promise<Answer>) {
    sandbox().service.misbehave({ fail: { with: 503 } });
    const answer = await ask();
    sandbox().service.misbehave({});
    return answer;
  }

  it('offers Retry, which runs the same search again in its place, and goes on with the same page of a list', async () => {
    const failed = await failing(() => alex().type('/cobrowse shop'));
    expect(failed.text).toContain('Try again in a minute');
    expect(labels(failed.blocks)).toEqual(['Retry']);
    const first = await alex().pressToReplace(failed, /^Retry/);
    expect([first.ts, first.text]).toEqual([failed.ts, expect.stringContaining('Customers 1 to 6 of 11')]);
    const failedAgain = await failing(() => alex().pressToReplace(first, /^Next/));
    expect((await alex().pressToReplace(failedAgain, /^Retry/)).text).toContain('Customers 7 to 11 of 11');
  });

  it('offers Retry in a modal, whose answer takes its place there', async () => {
    const message = await alex().say('stuck, says jane@acme.com');
    const failed = await failing(() =>
      alex().shortcut(message, 'find_visitor', ({ blocks }) => labels(blocks).includes('Retry')),
    );
    await alex().pressInModal(failed, /^Retry/);
    const answer = await alex().modal(({ blocks }) => readable(blocks).includes('Lookup code: 4821'));
    expect(answer.id).toBe(failed.id);
  });
});
