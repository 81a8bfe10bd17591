import { describe, expect, it } from 'vitest';
import type { SeedVisitor } from '../../sandbox/service/visitor.ts';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { SUPPORT, buttonsIn, personIn, readable } from '../support/person.ts';

const SECRET = 'SECRET';

/** Each tries another way out of being text. */
const traps: Readonly<Record<string, Omit<SeedVisitor, 'short_id'>>> = {
  shout: { identities: ['<!channel> <!here>'], email: '<!everyone>', tags: ['trap', '<!here>'] },
  mention: { identities: ['<@U0ALEX00001> <#C0SUPPORT01>'], nickname: '<@U0SAM000002>' },
  markup: { identities: ['*bold* _it_ ~s~ `code` > quote :tada:'], location_city: '*x*' },
  link: { identities: ['<https://evil.example|click> [a](https://evil.example)'] },
  entity: { identities: ['&lt;!channel&gt; &amp;lt;'] },
  turned: { identities: ['Bob \u202Egpj.exe\u202C \u2067x\u2069'], browser_name: '\u202EemorhC' },
  control: { identities: ['a\u0000b\u0007c\u001B[31md\r\ne\u2028f'] },
  half: { identities: ['half \uD83D and \uDE00'] },
  long: { identities: ['Longname '.repeat(1_200)], email: `${'x'.repeat(9_000)}@a.example` },
  emoji: { identities: ['👩‍👩‍👧‍👦'.repeat(200)] },
  empty: { identities: ['', '\u200B', '\u3164\u2800'], email: '', nickname: ' ', location_city: '' },
  nothing: { identities: null, email: null },
  script: { identities: ['Script'], last_url: `javascript:alert("${SECRET}")` },
  broken: { identities: ['Broken'], last_url: `https://%zz/?${SECRET}` },
  query: { identities: ['Query'], last_url: `https://user:${SECRET}@shop.example/pay?t=${SECRET}#${SECRET}` },
  path: { identities: ['Path'], last_url: `https://shop.example/%E2%80%AE%3F%00/<!channel>?${SECRET}` },
};
const visitors = Object.entries(traps).map(([short_id, trap]) => ({
  is_online: true,
  tags: ['trap'],
  ...trap,
  short_id,
}));

const linkIn = (response: Response) => response.headers.get('location') ?? '';

describe('a hostile visitor', () => {
  const { sandbox } = checkedSandbox({ service: { seed: visitors, sessionLimit: 100 } });

  it('is harmless text in every list', async () => {
    const alex = personIn(sandbox());
    const first = await alex.type('/cobrowse find #trap');
    const second = await alex.pressToReplace(first, /^Next/);
    const third = await alex.pressToReplace(second, /^Next/);
    const text = [first, second, third].map((page) => page.text).join('\n');
    expect(text).toContain('&lt;!channel&gt; &lt;!here&gt; · &lt;!everyone&gt;');
    expect(text).toContain('&amp;lt;!channel&amp;gt;');
    expect(text).toContain('Bob gpj.exe x');
    expect(text).toContain('a b c [31md e f');
    expect(text).toContain('Visitor empty');
    expect(text).toContain('Visitor nothing');
    expect(text).not.toContain(SECRET);
    // What is shown is never markup: every block is rich text, plain text or buttons.
    const kinds = [...first.blocks, ...second.blocks, ...third.blocks].map((block) =>
      block.type === 'section' ? (block.text?.type ?? 'none') : block.type,
    );
    expect(new Set(kinds)).toEqual(new Set(['rich_text', 'plain_text', 'actions']));
  });

  it.each(visitors.map(({ short_id }) => short_id))(
    'is harmless from the card over Watch and Stop to the summary: %s',
    async (id) => {
      const alex = personIn(sandbox());
      const card = await alex.type(`/cobrowse visitor ${id}`);
      // A path keeps its encoded question mark: decoded, it would look like a query string.
      expect(card.text.includes('Page: /%3F /&lt;!channel&gt;')).toBe(id === 'path');
      const offer = await alex.type(`/cobrowse watch ${id}`);
      const [watch] = buttonsIn(offer.blocks);
      expect(watch?.accessibility_label?.length).toBeLessThanOrEqual(75);
      await sandbox().service.openWatchLink(linkIn(await alex.watch(offer)));
      const question = await alex.type(`/cobrowse stop ${id}`);
      expect(JSON.stringify([card.blocks, offer.blocks, question.blocks])).not.toContain(SECRET);
      const answer = readable((await alex.stop(() => alex.press(question, /^Stop/), id)).blocks);
      expect(answer).toMatch(/^The session with .+ was stopped by <@U0ALEX00001>\.$/);
      const name = /^The session with (.+) was stopped/.exec(answer)?.[1] ?? 'none';
      // A title has less room for a name.
      const titled = name.slice(0, 40);
      const summary = await alex.message(
        ({ blocks: [first], ephemeral }) =>
          !ephemeral && first?.type === 'header' && first.text.text.startsWith(titled),
      );
      expect(summary.channel).toBe(SUPPORT);
      expect(summary.text).not.toContain(SECRET);
    },
  );
});
