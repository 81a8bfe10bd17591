import { describe, expect, it } from 'vitest';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { buttonsIn, personIn, readable } from '../support/person.ts';

const labels = (blocks: Parameters<typeof buttonsIn>[0]) => buttonsIn(blocks).map(({ text }) => text.text);

describe('a search that fails in a way that may pass', () => {
  const { sandbox } = checkedSandbox();
  const alex = () => personIn(sandbox());

  /** What is answered while the service fails so. */
  async function failing<Answer>(how: 503 | 429 | 403 | 'hang-up' | 'nonsense', ask: () => Promise<Answer>) {
    sandbox().service.misbehave({ fail: { with: how } });
    const answer = await ask();
    sandbox().service.misbehave({});
    return answer;
  }

  it.each([
    ['jane', '2 customers matching jane'],
    ['find jane@acme.com', 'Lookup code: 4821'],
    ['watch jane4821', 'Jane Cooper · jane@acme.com · Online'],
    ['visitor jane', 'Whose details?'],
    ['stop jane', 'in a session'],
  ])('offers Retry, which runs the same search again in its place: %s', async (typed, words) => {
    const failed = await failing(503, () => alex().type(`/cobrowse ${typed}`));
    expect(failed.text).toContain('Try again in a minute');
    expect(labels(failed.blocks)).toEqual(['Retry']);
    const answer = await alex().pressToReplace(failed, /^Retry/);
    expect(answer.text).toContain(words);
    expect(answer.ts).toBe(failed.ts);
  });

  it('offers Retry on a page of a list, which goes on with that page', async () => {
    const first = await alex().type('/cobrowse shop');
    const failed = await failing(503, () => alex().pressToReplace(first, /^Next/));
    expect((await alex().pressToReplace(failed, /^Retry/)).text).toContain('Customers 7 to 11 of 11');
  });

  it('offers Retry in a modal, whose answer takes its place there', async () => {
    const message = await alex().say('stuck, says jane@acme.com');
    const failed = await failing(503, () =>
      alex().shortcut(message, 'find_visitor', ({ blocks }) => labels(blocks).includes('Retry')),
    );
    await alex().pressInModal(failed, /^Retry/);
    const answer = await alex().modal(({ blocks }) => readable(blocks).includes('Lookup code: 4821'));
    expect(answer.id).toBe(failed.id);
  });
});
