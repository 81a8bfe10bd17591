import { describe, expect, it } from 'vitest';
import { askColleague } from '../../team/asking.ts';
import { ALEX, SAM, personIn } from '../../support/person.ts';
import { idsSeenBy } from '../../sessions/webhook-stage.ts';
import { channelOf, manyChannels, summaryOf, tellOf, twenty } from './many-channels.ts';
import { openRealWorld, type RealWorld } from './real-app.ts';

const LAST = 'the-last-one';
const inItsChannel = (id: string) => ({ channelId: channelOf(id) });

/** Slack accepts posts again, and the leases of the killed processes have expired: everything is posted. */
async function bringToItsEnd(world: RealWorld, ids: readonly string[]): Promise<void> {
  world.slack.fail('chat.postMessage', 'hang', 0);
  world.endWaits();
  const app = await world.start();
  expect(await tellOf(world, LAST)).toBe(200);
  for (const id of [...ids, LAST]) await summaryOf(world, id);
  app.askToStop();
  expect(await app.ended()).toBe(0);
}

const isAsked = ({ text }: { readonly text: string }) => text.includes('“before the kill”');
const sorted = (ids: readonly string[]) => ids.toSorted();

describe('a webhook that was acknowledged before the app is killed with SIGKILL', () => {
  it('is one summary, however often the app is killed before Slack accepts it, and while Slack hangs', async () => {
    const world = await openRealWorld({ slack: { seed: manyChannels } });
    const { slack } = world;
    slack.fail('chat.postMessage', 'hang', 10_000);
    const posts = () => slack.calls.filter(({ method }) => method === 'chat.postMessage').length;
    for (let from = 0; from < twenty.length; from += 10) {
      const some = twenty.slice(from, from + 10);
      const app = await world.start();
      // The second one is killed at once, since the first one has asked Slack, so whatever it has started doing with them is cut off.
      const answers = await Promise.all(some.map((id) => tellOf(world, id, inItsChannel(id))));
      await expect.poll(posts).toBeGreaterThan(0);
      await app.kill();
      expect(answers).toEqual(some.map(() => 200));
    }
    expect(idsSeenBy(slack)).toEqual([]);
    await bringToItsEnd(world, twenty);
    expect(sorted(idsSeenBy(slack))).toEqual(sorted([...twenty, LAST]));
  });

  it('is one summary, found by the next start, if the kill comes between Slack’s acceptance and recording it', async () => {
    const world = await openRealWorld({ slack: { seed: manyChannels } });
    const { slack } = world;
    slack.fail('chat.postMessage', { retryAfter: 3_600 }, 10_000);
    const first = await world.start();
    for (const id of twenty) expect(await tellOf(world, id, inItsChannel(id))).toBe(200);
    await first.kill();
    slack.fail('chat.postMessage', 'hang', 0);
    for (let time = 0; time < 3 && new Set(idsSeenBy(slack)).size < twenty.length; time += 1) {
      const before = idsSeenBy(slack).length;
      world.endWaits();
      const app = world.launch();
      await slack.until(ALEX, () => idsSeenBy(slack).length > before);
      await app.kill();
    }
    await bringToItsEnd(world, twenty);
    expect(sorted(idsSeenBy(slack))).toEqual(sorted([...twenty, LAST]));
  });
});

describe('a question to a colleague that was acknowledged before the app is killed with SIGKILL', () => {
  it('is one message after the next start', async () => {
    const world = await openRealWorld();
    const { slack } = world;
    const app = await world.start();
    const shown = await personIn(world).type('/cobrowse visitor jane4821');
    slack.fail('chat.postMessage', { retryAfter: 3_600 }, 1_000);
    await askColleague(world, { as: ALEX, shown, colleague: SAM, reason: 'before the kill' });
    await app.kill();
    slack.fail('chat.postMessage', 'hang', 0);
    world.endWaits();
    const next = await world.start();
    await personIn(world, SAM).message(isAsked);
    next.askToStop();
    expect(await next.ended()).toBe(0);
    expect(personIn(world, SAM).messages().filter(isAsked)).toHaveLength(1);
  });
});
