import { expect, it } from 'vitest';
import { channelAsked } from '../../src/team/ask-deliveries.ts';
import { ALEX, SUPPORT, buttonsIn } from '../support/person.ts';

it('a post that asks a channel has no personal details once people of other organizations can read it', () => {
  const open = {
    id: 'ask-1',
    workspaceId: 'T0ACME00001',
    visitorId: 'jane4821',
    askedId: SUPPORT,
    askedBy: ALEX,
    askedAt: new Date('2026-03-01T11:00:00Z'),
    reason: 'Stuck at checkout',
    openUntil: new Date('2026-03-01T12:00:00Z'),
  };
  const shown = channelAsked(open, { visitor: 'jane4821', isCut: true });
  expect(shown.text).toContain('look at jane4821’s screen');
  expect(shown.text).not.toContain('checkout');
  expect(buttonsIn(shown.blocks)).toHaveLength(1);
});
