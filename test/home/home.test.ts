import type { HomeView } from '@slack/types';
import { describe, expect, it } from 'vitest';
import { createTab } from '../../src/home/home.ts';
import type { Refusal } from '../../src/permissions/acts.ts';
import type { HomeContent } from '../../src/home/home-message.ts';
import { tools } from './home-content.ts';

const alex = { workspaceId: 'T1', userId: 'U1' };

function content(visitorName: string): HomeContent {
  return {
    at: new Date(0),
    you: { had: { is: 'not-asked', slackName: visitorName } },
    online: { had: { busy: [], others: [], hasMore: false, tools } },
    day: { had: { latest: [], earlier: 0, hasSessions: true, reportsEnds: true } },
  };
}

/** Everything that could run by now has run. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A Home whose gathering and publishing end when the test says so. */
function stage(patienceMs = 60_000) {
  const gathered: PromiseWithResolvers<HomeContent | Refusal>[] = [];
  const published: { readonly view: HomeView; readonly done: PromiseWithResolvers<void> }[] = [];
  const reported: unknown[] = [];
  const home = createTab({
    gather() {
      const gathering = Promise.withResolvers<HomeContent | Refusal>();
      gathered.push(gathering);
      return gathering.promise;
    },
    report: (error) => void reported.push(error),
    patienceMs,
  });
  const publish = (view: HomeView) => {
    const done = Promise.withResolvers<void>();
    published.push({ view, done });
    return done.promise;
  };
  const shows = (index: number) => JSON.stringify(published[index]?.view);
  return { home, gathered, published, reported, publish, shows };
}

describe('showing the Home', () => {
  it('publishes a skeleton before anything is known, and then the content', async () => {
    const { home, gathered, published, publish, shows } = stage();
    const shown = home.show(alex, publish);
    expect(gathered).toHaveLength(1);
    expect(published).toHaveLength(1);
    expect(shows(0)).toContain('Loading from the co-browsing service');
    gathered[0]?.resolve(content('Alex'));
    // Not before the skeleton has arrived.
    await settled();
    expect(published).toHaveLength(1);
    published[0]?.done.resolve();
    await expect.poll(() => published.length).toBe(2);
    expect(shows(1)).toContain('Alex');
    published[1]?.done.resolve();
    await shown;
  });

  it('has one publish in flight however often it is opened, and the latest content stays', async () => {
    const { home, gathered, published, publish, shows } = stage();
    const first = home.show(alex, publish);
    await Promise.all([home.show(alex, publish), home.show(alex, publish), home.show(alex, publish)]);
    expect([gathered.length, published.length]).toEqual([1, 1]);
    published[0]?.done.resolve();
    gathered[0]?.resolve(content('Earlier'));
    await expect.poll(() => published.length).toBe(2);
    await settled();
    expect(gathered).toHaveLength(1);
    published[1]?.done.resolve();
    await expect.poll(() => gathered.length).toBe(2);
    gathered[1]?.resolve(content('Latest'));
    await expect.poll(() => published.length).toBe(3);
    expect(shows(2)).toContain('Latest');
    published[2]?.done.resolve();
    await first;
    expect(gathered).toHaveLength(2);
  });

  it('leaves what is there until the new content is, where that is only renewed', async () => {
    const { home, gathered, published, publish, shows } = stage();
    const renewed = home.renew(alex, publish);
    expect([gathered.length, published.length]).toEqual([1, 0]);
    gathered[0]?.resolve(content('Alex'));
    await expect.poll(() => published.length).toBe(1);
    expect(shows(0)).toContain('Alex');
    published[0]?.done.resolve();
    await renewed;
  });

  it('says that it is loading where renewing takes long, and shows the content after that', async () => {
    const { home, gathered, published, publish, shows } = stage(1);
    const renewed = home.renew(alex, publish);
    await expect.poll(() => published.length).toBe(1);
    expect(shows(0)).toContain('Loading from the co-browsing service');
    gathered[0]?.resolve(content('Alex'));
    await settled();
    expect(published).toHaveLength(1);
    published[0]?.done.resolve();
    await expect.poll(() => published.length).toBe(2);
    expect(shows(1)).toContain('Alex');
    published[1]?.done.resolve();
    await renewed;
  });

  it.each(['gathering', 'the skeleton', 'the content'])(
    'rejects where %s fails, and works again',
    async (what) => {
      const { home, gathered, published, publish } = stage();
      const failure = new Error('no');
      const shown = home.show(alex, publish);
      shown.catch(() => undefined);
      if (what === 'gathering') gathered[0]?.reject(failure);
      else gathered[0]?.resolve(content('Alex'));
      if (what === 'the skeleton') published[0]?.done.reject(failure);
      else published[0]?.done.resolve();
      await settled();
      published[1]?.done.reject(failure);
      await expect(shown).rejects.toBe(failure);
      void home.show(alex, publish);
      expect(gathered).toHaveLength(2);
    },
  );

  it('goes without the picture where Slack refuses the view with it', async () => {
    const { home, gathered, published, reported, publish, shows } = stage();
    const refused = new Error('invalid_blocks: downloading image failed');
    const picture = { url: 'https://unreachable.example/charts/t', altText: 'Bar chart.' };
    const shown = home.show(alex, publish);
    published[0]?.done.resolve();
    gathered[0]?.resolve({
      ...content('Alex'),
      started: { had: { days: [{ name: 'Nov 9', label: '9', sessions: 2, notAccepted: 0 }], picture } },
    });
    await expect.poll(() => published.length).toBe(2);
    expect(shows(1)).toContain(picture.url);
    published[1]?.done.reject(refused);
    await expect.poll(() => published.length).toBe(3);
    expect(shows(2)).not.toContain(picture.url);
    expect(shows(2)).toContain('Nov 9: 2');
    published[2]?.done.resolve();
    await shown;
    expect(reported).toEqual([refused]);
  });
});
