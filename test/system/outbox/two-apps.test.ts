import { describe, expect, it } from 'vitest';
import { hasPostgres, postgresql } from '../../support/engines.ts';
import { idsSeenBy } from '../../sessions/webhook-stage.ts';
import { openGatedWorld } from './gate.ts';
import { channelOf, manyChannels, summaryOf, tellOf } from './many-channels.ts';

describe.skipIf(!hasPostgres).each([postgresql])(
  'one of two apps over $engine, killed with SIGKILL',
  (engine) => {
    /** An app that asks Slack for a post whose answer doesn't come, with another summary behind it, and one beside it. */
    async function openTwo() {
      const storeUrl = await engine.newUrl();
      const { world, slackGate: gate } = await openGatedWorld({
        slack: { seed: manyChannels },
        settings: async () => ({ STORE_URL: storeUrl }),
      });
      const killed = await world.start();
      // Before the post, whose turn lasts half a minute: a start may take longer than that on a busy machine.
      const other = await world.startBeside();
      gate.hold('chat.postMessage');
      expect(await tellOf(world, 'under way')).toBe(200);
      await expect.poll(() => gate.held).toHaveLength(1);
      // At once: after ten seconds it would take its post for lost, and make another.
      await killed.kill();
      expect(await tellOf(other, 'behind it')).toBe(200);
      return { world, gate, other };
    }

    it.each([
      ['arrives all the same', true],
      ['never arrives', false],
    ])(
      'leaves its channel’s turn to the other, and its post, which %s, is there once',
      async (_, arrives) => {
        const { world, gate, other } = await openTwo();
        const { slack } = world;
        if (!arrives) gate.held.splice(0);
        gate.release();
        if (arrives) await summaryOf(world, 'under way');
        // The turn isn't over yet: meanwhile other channels go on, and nothing is posted there.
        expect(await tellOf(other, 's1', { channelId: channelOf('s1') })).toBe(200);
        await summaryOf(world, 's1');
        expect(idsSeenBy(slack)).not.toContain('behind it');
        await world.endLeases();
        await summaryOf(world, 'behind it');
        // Which comes first goes by the clocks of both, which stand still whenever their process does.
        await summaryOf(world, 'under way');
        expect(idsSeenBy(slack).toSorted()).toEqual(['behind it', 's1', 'under way']);
        other.app.askToStop();
        expect(await other.app.ended()).toBe(0);
      },
    );
  },
);
