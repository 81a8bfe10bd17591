import { describe, expect, it } from 'vitest';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { ALEX, personIn } from '../support/person.ts';
import { linksMade } from './opening.ts';

describe('Watch without an address of ours', () => {
  const { sandbox } = checkedSandbox({ socketMode: true, service: { sessionLimit: 100 } });

  it('gives one link for a double tap, and another for a later press', async () => {
    const alex = personIn(sandbox());
    /** Presses Watch of a new list so many milliseconds from now, once for each; waits for the link. */
    async function tap(visitorId: string, ...later: readonly number[]): Promise<void> {
      const offer = await alex.type(`/cobrowse watch ${visitorId}`);
      const { block_id, action_id = '' } = alex.button(offer, /^Watch/);
      const source = { type: 'message', channel: offer.channel, ts: offer.ts } as const;
      const tapped = later.map((later_ms) =>
        sandbox().slack.press({ as: ALEX, source, block_id, action_id, later_ms }),
      );
      expect(await Promise.all(tapped)).toEqual(later.map(() => ({ ok: true })));
      const ready = await alex.message(({ ts, text }) => ts === offer.ts && text !== offer.text);
      expect(alex.button(ready, /^Open the live view/).url).toMatch(/^http/);
    }
    await tap('noah', 0, 0);
    await tap('priya55', 2_000);
    expect(linksMade(sandbox())).toHaveLength(2);
  });
});
