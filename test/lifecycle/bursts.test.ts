import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createBursts } from '../../src/lifecycle/bursts.ts';
import type { Reply } from '../../src/http/server.ts';
import { LinkRequest } from '../../src/messages/link-request.ts';
import { ofButtons } from '../../src/watch/button-route.ts';
import { posted } from '../support/signed.ts';
import { ticketKind } from '../watch/stage.ts';

describe('what comes at the same time', () => {
  it('is taken in, one thing a turn, before anything of it is worked on, in the order in which it came', async () => {
    const { allTakenIn } = createBursts();
    const done: string[] = [];
    const working: Promise<unknown>[] = [];
    const ones = ['first', 'second', 'third'];
    for (const one of ones) {
      done.push(`${one} came`);
      working.push(allTakenIn().then(() => done.push(`${one} worked on`)));
      await turnOfTheLoop();
    }
    await Promise.all(working);
    expect(done).toEqual(['came', 'worked on'].flatMap((what) => ones.map((one) => `${one} ${what}`)));
  });

  it('is worked on in the end where it never stops coming', async () => {
    const { allTakenIn } = createBursts();
    const done: string[] = [];
    void allTakenIn().then(() => done.push('worked on'));
    while (done.length === 0) {
      void allTakenIn();
      await turnOfTheLoop();
    }
    expect(done).toEqual(['worked on']);
  });

  it('holds up nothing that comes later', async () => {
    const { allTakenIn } = createBursts();
    const done: string[] = [];
    for (const one of ['first', 'second']) {
      await allTakenIn();
      done.push(one);
    }
    expect(done).toEqual(['first', 'second']);
  });
});

describe('what waits for pages', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  it('goes on once every page is out, those that failed, too', async () => {
    const { asPage, pagesAreOut } = createBursts();
    const [first, second] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
    const done: string[] = [];
    const served = [
      asPage(() => first.promise).then((page) => done.push(page)),
      asPage(() => second.promise).catch((error: Error) => done.push(error.message)),
    ];
    const rest = pagesAreOut().then(() => done.push('the rest'));
    first.resolve('one page');
    await served[0];
    expect(done).toEqual(['one page']);
    second.reject(new Error('no page'));
    await Promise.all([...served, rest]);
    expect(done.toSorted()).toEqual(['no page', 'one page', 'the rest']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('goes on where no page is being made, and 200 ms behind one that never comes', async () => {
    const { asPage, pagesAreOut } = createBursts();
    const done: string[] = [];
    await pagesAreOut().then(() => done.push('without a page'));
    void asPage(() => new Promise(() => undefined));
    const rest = pagesAreOut().then(() => done.push('behind a page'));
    await vi.advanceTimersByTimeAsync(199);
    expect(done).toEqual(['without a page']);
    await vi.advanceTimersByTimeAsync(1);
    await rest;
    expect(done).toEqual(['without a page', 'behind a page']);
  });

  it('waits for the page of a button', async () => {
    const { asPage, pagesAreOut } = createBursts();
    const page = Promise.withResolvers<Reply>();
    const done: string[] = [];
    const tickets = ticketKind('watch', LinkRequest);
    const asButton = ofButtons({ tickets, isInstalled: async () => true, asPage, report: () => undefined });
    const route = asButton({ method: 'GET', path: '/watch/:ticket', handle: () => page.promise });
    const answered = route.handle({ ...posted({}, Buffer.alloc(0)), parameter: 'not a ticket' });
    const served = Promise.resolve(answered).then(() => done.push('the page'));
    const rest = pagesAreOut().then(() => done.push('the rest'));
    await turnOfTheLoop();
    expect(done).toEqual([]);
    page.resolve({ status: 200 });
    await Promise.all([served, rest]);
    expect(done.toSorted()).toEqual(['the page', 'the rest']);
  });
});
