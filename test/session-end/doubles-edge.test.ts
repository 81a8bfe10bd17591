import { describe, expect, it, onTestFinished } from 'vitest';
import { createDoubles } from '../../src/session-end/doubles.ts';
import { openStorage } from '../../src/storage/open.ts';
import { inSupport, postingStage, words } from '../slack/posting-stage.ts';
import { ALEX } from '../support/person.ts';

describe('a summary that stands in Slack twice', () => {
  it('stands there once afterwards, and the first of the two stays', async () => {
    const { slack, post, find, unpost } = await postingStage();
    const storage = await openStorage('memory:');
    onTestFinished(() => storage.close());
    const reports: string[] = [];
    const doublesAt = (now: () => number) =>
      createDoubles({
        store: storage.store('doubles'),
        find,
        unpost,
        now,
        report: (outcome, id) => void reports.push(`${outcome} ${id}`),
        broken: (id) => void reports.push(`broken ${id}`),
      });
    await post(inSupport, words, 'T1:a');
    await post(inSupport, words, 'T1:b');
    await post(inSupport, words, 'T1:a');
    const summaries = () => slack.snapshot(ALEX).messages.filter(({ text }) => text === words.text);
    const [first, second] = summaries();
    // Killed before the minute was over; the next start finds it due.
    const killed = doublesAt(() => Date.now() - 120_000);
    await killed.suspect('T1:a', { ...inSupport, begunAt: Date.now() });
    await killed.stop();
    const doubles = doublesAt(Date.now);
    await doubles.start();
    await slack.until(ALEX, () => summaries().length === 2);
    expect(summaries().map(({ ts }) => ts)).toEqual([first?.ts, second?.ts]);
    await expect.poll(() => reports).toEqual(['removed T1:a']);
    await doubles.stop();
  });
});
