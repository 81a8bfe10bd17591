import { describe, expect, it } from 'vitest';
import { webhooksMenu, webhooksSection, type ShownAddress } from '../../src/webhooks/messages.ts';
import { message } from '../../src/messages/message.ts';
import { messageModal } from '../../src/messages/modal.ts';
import { buttonsIn } from '../support/person.ts';
import { problemsIn } from '../support/shown.ts';
import { anAddress } from './an-address.ts';

const AT = Date.parse('2026-05-04T09:00:00Z');
const MINUTE = 60_000;

const working: ShownAddress = { ...anAddress, setAside: 0 };

/** What Home says of an address, and the buttons that the menu has for it. */
function shown(state: Partial<ShownAddress>) {
  const now = { addresses: [{ ...working, ...state }], at: AT };
  const menu = webhooksMenu(now);
  const payload = messageModal({ title: 'Webhooks', context: '' }, menu);
  expect(problemsIn({ surface: 'modal', payload })).toEqual([]);
  return {
    says: message(...webhooksSection(now)).text,
    buttons: buttonsIn(menu.blocks).map(({ text }) => text.text),
  };
}

const withSetAside = ['Send a test', 'Set aside', 'Edit', 'New secret', 'Remove', 'Add an address'];
const usual = ['Send a test', 'Edit', 'New secret', 'Remove', 'Add an address'];

describe('an address for webhooks, to admins', () => {
  it.each([
    ['works', {}, /: Working$/, usual],
    ['hasn’t been tried', { workedAt: undefined }, /: Not tried yet$/, usual],
    [
      'has failed for a while',
      { failingSince: AT - 59 * MINUTE },
      /: Failing, so the app tries again\. Since: /,
      usual,
    ],
    [
      'has taken nothing for an hour',
      { failingSince: AT - 60 * MINUTE, heldUntil: AT + MINUTE },
      /: Paused: it doesn’t accept anything\. Since: .* · Next try: /,
      ['Retry', ...usual],
    ],
    [
      'said that it’s gone',
      { offAt: AT },
      /: Switched off: it answered 410 \(gone\)\. Since: /,
      ['Retry', ...usual],
    ],
    ['didn’t take some events', { setAside: 1_234 }, /: Working · 1,234 events set aside$/, withSetAside],
  ])('says in words that it %s', (_state, state, words, buttons) => {
    const { says, buttons: offered } = shown(state);
    expect(says).toMatch(words);
    expect(offered).toEqual(buttons);
  });

  it('can be anybody’s text', () => {
    const { says } = shown({ host: `<!channel>.${'x'.repeat(3_000)}`, events: ['of-a-newer-program'] });
    expect(says.length).toBeLessThan(200);
  });
});
