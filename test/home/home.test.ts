import type { HomeView } from '@slack/types';
import { WebAPIPlatformError } from '@slack/web-api';
import { describe, expect, it } from 'vitest';
import { createTab } from '../../src/home/home.ts';
import type { HomeTab } from '../../src/home/view.ts';
import { sessionsChart } from '../../src/messages/chart.ts';

const alex = { workspaceId: 'T1', userId: 'U1' };

const content = (...texts: readonly string[]): HomeTab => ({
  type: 'home',
  blocks: texts.map((text) => ({ type: 'section', text: { type: 'plain_text', text } })),
});

/** Everything that could run by now has run. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A Home whose gathering and publishing end when the test says so. */
function stage() {
  const gathered: PromiseWithResolvers<HomeTab>[] = [];
  const published: { readonly view: HomeView; readonly done: PromiseWithResolvers<void> }[] = [];
  const reported: unknown[] = [];
  function gather() {
    const gathering = Promise.withResolvers<HomeTab>();
    gathered.push(gathering);
    return gathering.promise;
  }
  const wordsOnly = new Set<string>();
  const charts = {
    areRefused: async (workspaceId: string) => wordsOnly.has(workspaceId),
    refuse: async (workspaceId: string) => void wordsOnly.add(workspaceId),
  };
  const home = createTab(gather, charts, (error) => void reported.push(error));
  const publish = (view: HomeView) => {
    const done = Promise.withResolvers<void>();
    published.push({ view, done });
    return done.promise;
  };
  const shows = (index: number) => JSON.stringify(published[index]?.view);
  /** Slack takes the publish with this number, and others follow until there are so many. */
  async function taken(index: number, then = index + 1): Promise<void> {
    published[index]?.done.resolve();
    await expect.poll(() => published.length).toBe(then);
  }
  const gives = (name: string, index = 0) => gathered[index]?.resolve(content(name));
  return { home, gathered, published, reported, publish, shows, taken, gives };
}

describe('showing the Home', () => {
  it('begins with a skeleton, has one publish in flight however often it is opened, and the latest content stays', async () => {
    const { home, gathered, published, publish, shows, taken, gives } = stage();
    const first = home.show(alex, publish);
    await Promise.all([home.show(alex, publish), home.show(alex, publish), home.show(alex, publish)]);
    expect([gathered.length, published.length]).toEqual([1, 1]);
    expect(shows(0)).toContain('Loading from the co-browsing service');
    gives('Earlier');
    // Not before the skeleton has arrived.
    await settled();
    expect(published).toHaveLength(1);
    await taken(0, 2);
    expect(shows(1)).toContain('Earlier');
    await settled();
    expect(gathered).toHaveLength(1);
    await taken(1);
    await expect.poll(() => gathered.length).toBe(2);
    gives('Latest', 1);
    await expect.poll(() => published.length).toBe(3);
    expect(shows(2)).toContain('Latest');
    await taken(2);
    await first;
    expect(gathered).toHaveLength(2);
  });

  it('goes without the chart where Slack refuses the view with it, and so does what it is renewed with, without a skeleton', async () => {
    const { home, gathered, published, reported, publish, shows, taken } = stage();
    const refused = new WebAPIPlatformError({ ok: false, error: 'invalid_blocks' });
    const chart = sessionsChart('Sessions', [{ label: 'Nov 9', sessions: 2 }]);
    const { type, blocks } = content('Alex', 'Nov 9: 2');
    const busy: HomeTab = { type, blocks: [...blocks, ...(chart === undefined ? [] : [chart])] };
    const shown = home.show(alex, publish);
    gathered[0]?.resolve(busy);
    await taken(0, 2);
    expect(shows(1)).toContain('data_visualization');
    published[1]?.done.reject(refused);
    await taken(1, 3);
    expect(shows(2)).not.toContain('data_visualization');
    expect(shows(2)).toContain('Nov 9: 2');
    await taken(2);
    await shown;
    expect(reported).toEqual([refused]);
    const renewed = home.renew(alex, publish);
    await settled();
    expect(published).toHaveLength(3);
    gathered[1]?.resolve(busy);
    await expect.poll(() => published.length).toBe(4);
    expect(shows(3)).not.toContain('data_visualization');
    await taken(3);
    await renewed;
  });
});
