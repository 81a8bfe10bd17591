import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { CobrowseError } from '../../src/cobrowse/errors.ts';
import { createAnswerer, plainAnswer, type Question } from '../../src/slack/answer.ts';
import { ResponseAddressError } from '../../src/slack/call-failure.ts';
import { notice, stillWorking, type Message } from '../../src/messages/message.ts';
import { date } from '../../src/messages/text.ts';
import { keptLog } from '../support/checked-sandbox.ts';
import { readable } from '../support/person.ts';
import { problemsIn } from '../support/shown.ts';

/** An answerer, a person's screen as the list of what was delivered, and what was counted. */
function setUp(patienceMs = 60_000) {
  const { log } = keptLog();
  const delivered: string[] = [];
  const outcomes: string[] = [];
  const app: Parameters<typeof createAnswerer>[0] = {
    now: () => 0,
    showPrivately: async () => false,
    isAdmin: async () => false,
    mustReinstall: async () => false,
    installUrl: undefined,
    newBlocks: { areRefused: async () => false, refuse: async () => undefined },
  };
  const report = (name: string, outcome: string) => void outcomes.push(`${name}: ${outcome}`);
  const answerer = createAnswerer(app, { log, patienceMs, newReference: () => 'ref-1', report });
  const deliver = async ({ text }: Message) => void delivered.push(text);
  const ask = (work: Question['work'], more: Partial<Question> = {}) =>
    answerer.take({ workspaceId: 'T1', userId: 'U1' }, { name: 'command find', work, deliver, ...more });
  return { answerer, ask, delivered, outcomes };
}

const refused = new ResponseAddressError(400, 'invalid_blocks');
const unexpected = [new Error('boom'), 'a string', undefined, null];
const odd: Question['work'] = async () => notice(['Odd.']);
const failing: Question['work'] = () => Promise.reject(new CobrowseError('busy', 'answered 503'));
const wordless: Question['work'] = async () => undefined;

type Case = readonly [string, Question['work'], readonly boolean[], string];

describe('the number of answers', () => {
  it.each<Case>([
    ...unexpected.map((thrown): Case => ['odd failures', () => Promise.reject(thrown), [true], 'failed']),
    ['one shown without formatting', odd, [false, true], 'answered'],
    ['one refused without formatting, too', odd, [false, false], 'failed'],
    ['a failure in words without formatting', failing, [false, true], 'failed'],
    ['one that needs no words', wordless, [], 'answered'],
  ])('includes once %s', async (_, work, taken, outcome) => {
    const { ask, answerer, outcomes } = setUp();
    const takes = [...taken];
    // Takes only so many of the messages that it's given.
    const deliver = async () => {
      if (takes.shift() !== true) throw refused;
    };
    ask(work, { deliver });
    await answerer.idle();
    expect(outcomes).toEqual([`command find: ${outcome}`]);
  });
});

describe('a person who waits for long', () => {
  it('hears so, before the answer and never after it', async () => {
    const told = Promise.withResolvers<undefined>();
    const { ask, answerer, delivered } = setUp(1);
    const answer = Promise.withResolvers<Message>();
    const deliver = async ({ text }: Message) => {
      told.resolve(undefined);
      // The first message takes longer than the answer.
      if (text === stillWorking.text) {
        await answer.promise;
        await turnOfTheLoop();
      }
      delivered.push(text);
    };
    ask(() => answer.promise, { deliver, meanwhile: stillWorking });
    await told.promise;
    answer.resolve(notice(['Here you are.']));
    await answerer.idle();
    expect(delivered).toEqual(['Still working on it…', 'Here you are.']);
  });
});

describe('an answerer that is to stop', () => {
  it('is idle only when everything it accepted is delivered, including latecomers', async () => {
    const { ask, answerer, delivered } = setUp();
    const [first, second] = [Promise.withResolvers<Message>(), Promise.withResolvers<Message>()];
    ask(() => first.promise);
    const idle = answerer.idle().then(() => delivered.push('idle'));
    ask(() => second.promise);
    first.resolve(notice(['First.']));
    await turnOfTheLoop();
    second.resolve(notice(['Second.']));
    await idle;
    expect(delivered).toEqual(['First.', 'Second.', 'idle']);
  });
});

describe('an answer as plain text', () => {
  it('says its times in UTC, and takes nobody’s words for a date', () => {
    const typed = '<!date^1772663400^{time}|x>';
    const { text, blocks } = plainAnswer(notice(['Ended: ', date(new Date('2026-03-04T22:30:00Z')), typed]));
    expect(readable(blocks)).toContain(`Ended: 2026-03-04 22:30 UTC${typed}`);
    expect(problemsIn({ surface: 'message', payload: { text, blocks } })).toEqual([]);
  });
});
