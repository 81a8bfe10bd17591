import { setImmediate as turnOfTheLoop, setTimeout as slept } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { CobrowseError } from '../../src/cobrowse/errors.ts';
import { createAnswerer } from '../../src/slack/answer.ts';
import type { Question } from '../../src/slack/answer.ts';
import { ResponseAddressError } from '../../src/slack/call-failure.ts';
import { notice, stillBusy, stillWorking } from '../../src/messages/message.ts';
import type { Message } from '../../src/messages/message.ts';
import { keptLog } from '../support/checked-sandbox.ts';

const stillSearching = stillBusy({ searches: true });

/** An answerer, a person's screen as the list of what was delivered, and what was counted. */
function setUp(patienceMs = 60_000, now = () => 0) {
  const { log, lines } = keptLog();
  const delivered: string[] = [];
  const outcomes: string[] = [];
  const told: string[] = [];
  const answerer = createAnswerer({
    log,
    now,
    patienceMs,
    newReference: () => 'ref-1',
    readerOf: async () => ({}),
    messagePrivately: async (_to, { text }) => void told.push(text),
    report: (name, outcome) => void outcomes.push(`${name}: ${outcome}`),
  });
  const deliver = async ({ text }: Message) => void delivered.push(text);
  const ask = (work: Question['work'], more: Partial<Question> = {}) =>
    answerer.take({ name: 'command find', workspaceId: 'T1', userId: 'U1', work, deliver, ...more });
  return { answerer, ask, delivered, outcomes, lines, deliver, told };
}

/** Slack doesn't take the words that it takes longer, but takes the answer. */
function waitingInVain() {
  const told = Promise.withResolvers<undefined>();
  const { ask, deliver, ...rest } = setUp(1);
  const withoutWords = (message: Message) => {
    if (message.text !== stillSearching.text) return deliver(message);
    told.resolve(undefined);
    return Promise.reject(new Error('no way'));
  };
  return {
    ...rest,
    told: told.promise,
    ask: (work: Question['work']) => ask(work, { deliver: withoutWords, meanwhile: stillSearching }),
  };
}

describe('the answer to a request', () => {
  it('is delivered once the work is done, without waiting for it', async () => {
    const { promise, resolve } = Promise.withResolvers<Message>();
    const { ask, answerer, delivered, outcomes } = setUp();
    ask(() => promise);
    expect(delivered).toEqual([]);
    resolve(notice(['Here you are.']));
    await answerer.idle();
    expect(delivered).toEqual(['Here you are.']);
    expect(outcomes).toEqual(['command find: answered']);
  });

  it.each([new Error('boom'), 'a string', undefined, null])(
    'is a reference that is in the log where nobody expected it: %j',
    async (thrown) => {
      const { ask, answerer, delivered, outcomes, lines } = setUp();
      ask(() => Promise.reject(thrown));
      await answerer.idle();
      expect(delivered[0]).toContain('the reference ref-1');
      expect(outcomes).toEqual(['command find: unexpected']);
      expect(JSON.parse(lines[0] ?? '{}')).toMatchObject({
        level: 50,
        reference: 'ref-1',
        name: 'command find',
      });
    },
  );

  it('is logged if it can’t be delivered', async () => {
    const { ask, answerer, outcomes, lines } = setUp();
    ask(async () => notice(['Lost.']), { deliver: () => Promise.reject(new Error('no way')) });
    await answerer.idle();
    expect(outcomes).toEqual(['command find: undelivered']);
    expect(lines[0]).toContain('the answer could not be delivered');
    expect(lines.join('')).not.toContain('Lost.');
  });
});

describe('the number of answers', () => {
  const refused = new ResponseAddressError(400, 'invalid_blocks');
  /** Takes only so many of the messages that it's given. */
  const taking =
    (...taken: readonly boolean[]) =>
    async () => {
      const [takes = false, ...rest] = taken;
      taken = rest;
      if (!takes) throw refused;
    };

  it.each([
    ['shown without formatting', [false, true], 'plain'],
    ['refused without formatting, too', [false, false], 'undelivered'],
  ] as const)('includes one that is %s once', async (_, taken, outcome) => {
    const { ask, answerer, outcomes } = setUp();
    ask(async () => notice(['Odd.']), { deliver: taking(...taken) });
    await answerer.idle();
    expect(outcomes).toEqual([`command find: ${outcome}`]);
  });

  it('includes a failure once, even if its words are shown without formatting', async () => {
    const { ask, answerer, outcomes } = setUp();
    ask(() => Promise.reject(new CobrowseError('busy', 'answered 503')), { deliver: taking(false, true) });
    await answerer.idle();
    expect(outcomes).toEqual(['command find: failed']);
  });

  it('includes one that needs no words', async () => {
    const { ask, answerer, outcomes } = setUp();
    ask(async () => undefined);
    await answerer.idle();
    expect(outcomes).toEqual(['command find: answered']);
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
      if (text === stillSearching.text) {
        await answer.promise;
        await turnOfTheLoop();
      }
      delivered.push(text);
    };
    ask(() => answer.promise, { deliver, meanwhile: stillSearching });
    await told.promise;
    answer.resolve(notice(['Here you are.']));
    await answerer.idle();
    expect(delivered).toEqual(['Still searching…', 'Here you are.']);
  });

  it('hears so before what the work shows itself, and nothing after that', async () => {
    const told = Promise.withResolvers<undefined>();
    const { ask, answerer, delivered } = setUp(1);
    const deliver = async ({ text }: Message) => {
      told.resolve(undefined);
      await turnOfTheLoop();
      delivered.push(text);
    };
    const slowly = async (settle: () => Promise<void>) => {
      await told.promise;
      await settle();
      delivered.push('a form');
      return undefined;
    };
    const atOnce = async (settle: () => Promise<void>) => {
      await settle();
      delivered.push('another form');
      await slept(5);
      return undefined;
    };
    ask(slowly, { deliver, meanwhile: stillWorking });
    await answerer.idle();
    ask(atOnce, { deliver, meanwhile: stillWorking });
    await answerer.idle();
    expect(delivered).toEqual(['Still working on it…', 'a form', 'another form']);
  });

  it('gets the answer even if that message failed', async () => {
    const { told, ask, answerer, delivered, lines } = waitingInVain();
    ask(() => told.then(() => notice(['Here you are.'])));
    await answerer.idle();
    expect(delivered).toEqual(['Here you are.']);
    expect(lines[0]).toContain('no way');
  });
});

describe('an answerer that is to stop', () => {
  it('is idle only when everything it accepted is delivered, including latecomers', async () => {
    const { ask, answerer, delivered } = setUp();
    const first = Promise.withResolvers<Message>();
    ask(() => first.promise);
    const idle = answerer.idle().then(() => delivered.push('idle'));
    ask(() => first.promise.then(() => notice(['Second.'])));
    first.resolve(notice(['First.']));
    await idle;
    expect(delivered).toEqual(['First.', 'Second.', 'idle']);
  });
});

describe('a message that is valid until a time', () => {
  it('isn’t replaced if it never arrived', async () => {
    const { ask, answerer, lines } = setUp();
    const message = { ...notice(['The link.']), until: { at: new Date(0), instead: notice(['Run out.']) } };
    ask(async () => message, { deliver: () => Promise.reject(new Error('no way')) });
    await answerer.idle();
    expect(lines).toHaveLength(1);
  });
});
