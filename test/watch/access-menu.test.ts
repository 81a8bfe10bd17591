import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { KnownBlock } from '@slack/types';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { anotherLink, personIn } from '../support/person.ts';

const { sandbox } = checkedSandbox();

/** The choices of the first "Watch with..." menu. */
function choicesIn(blocks: readonly KnownBlock[]) {
  const elements = blocks.flatMap((block) => (block.type === 'actions' ? block.elements : []));
  const menu = elements.find((element) => element.type === 'overflow');
  if (menu === undefined) throw new Error('No menu.');
  return menu.options.map((option) => ({ text: option.text.text }));
}

const Body = z.object({ permissions: z.record(z.string(), z.boolean()).optional() });
const lastPermissions = () =>
  Body.parse(sandbox().service.requests.findLast(({ path }) => path.endsWith('/watch_url'))?.body)
    .permissions;

describe('the menu beside Watch', () => {
  it('grants what it says, and Watch itself grants everything', async () => {
    const alex = personIn(sandbox());
    const offer = await alex.type('/cobrowse watch jane4821');
    const choices = choicesIn(offer.blocks);
    expect(choices.map(({ text }) => text)).toEqual([
      'Watch: view only',
      'Watch: point and scroll',
      'Watch: full control',
    ]);
    const off = {
      allow_agent_redirect: false,
      allow_audio: false,
      allow_click: false,
      allow_console: false,
      allow_type: false,
    };
    const expected = [{ ...off, allow_draw: false, allow_scroll: false }, off, undefined];
    for (const [index, { text }] of choices.entries()) {
      const answer = await anotherLink(await alex.choose(offer, new RegExp(`^${text}$`)));
      expect(answer.headers.get('location')).toMatch(/^http/);
      expect(lastPermissions()).toEqual(expected[index]);
    }
    await anotherLink(await alex.watch(offer));
    expect(lastPermissions()).toBeUndefined();
  });

  it('is told in the card', async () => {
    const alex = personIn(sandbox());
    const offer = await alex.type('/cobrowse watch priya55');
    await alex.choose(offer, /view only/);
    const card = await alex.message(({ text }) => text.includes('’s screen · '));
    expect(card.text).toContain('View only.');
  });
});
