import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  holdsWatchLink,
  mentionedUser,
  typedText,
  unescapeSlack,
  withoutLinkSecrets,
} from '../../src/commands/typed.ts';
import { directoryOf, escapeTyped } from '../../sandbox/slack/escape.ts';
import { acme } from '../../sandbox/slack/seed.ts';
import { createWorld } from '../../sandbox/slack/world.ts';
import { webAddress } from '../support/any-text.ts';

describe('text as Slack sends it', () => {
  it.each([
    ['<mailto:jane@acme.com|jane@acme.com>', 'jane@acme.com'],
    ['<mailto:jane@acme.com>', 'jane@acme.com'],
    ['<tel:+15550100|555-0100>', '+15550100'],
    ['<https://shop.example/a?b=1&amp;c=2>', 'https://shop.example/a?b=1&c=2'],
    ['<https://shop.example/|shop.example>', 'https://shop.example/'],
    ['<#C0SUPPORT01|support>', '#support'],
    ['<@U0SAM000002>', '<@U0SAM000002>'],
    ['<@U0SAM000002|sam>', '<@U0SAM000002>'],
    ['<@W0SAM000002>', '<@W0SAM000002>'],
    ['AT&amp;T &lt;b&gt;', 'AT&T <b>'],
    ['&AMP;', '&'],
    ['&amp;lt;', '&lt;'],
    ['“Jane”', 'Jane'],
    ['‘Jane’', 'Jane'],
    ['`jane4821`', 'jane4821'],
    ['„Jane“', 'Jane'],
    ['O’Brien', 'O’Brien'],
    ['*Jane Cooper*', 'Jane Cooper'],
    ['Zoe\u0308', 'Zoë'],
    ['<mailto:jane@acme.com?subject=Help&amp;body=x|Write>', 'jane@acme.com'],
    ['<mailto:jane%2Bvip%40acme.com|Jane>', 'jane+vip@acme.com'],
    ["<mailto:o%27brien@acme.com|o'brien@acme.com>", "o'brien@acme.com"],
    ['<mailto:a@one.example|b@two.example>', 'a@one.example b@two.example'],
    ['"Jane" and "Joe"', 'Jane" and "Joe'],
    ['  Jane\u00A0\t Cooper\n', 'Jane Cooper'],
    ['\u200Bjane\u202C', 'jane'],
    ['\u3164jane\u2800', 'jane'],
    ['\u0000ja\u0007ne\u001B\t\u007FCooper\u009B\r\n', 'jane Cooper'],
    ['<!channel>', '<!channel>'],
    ['<', '<'],
    ['', ''],
  ])('%j is read as %j', (sent, read) => {
    expect(unescapeSlack(sent)).toBe(read);
  });

  it.each([
    ['<http://acme.com|acme.com>', 'acme.com'],
    ['<http://acme.com/|acme.com>', 'acme.com'],
    ['shop <http://acme.com/a?b=1&amp;c=2|acme.com/a?b=1&amp;c=2>', 'shop acme.com/a?b=1&c=2'],
    ['<http://evil.example|acme.com>', 'http://evil.example'],
    ['<http://acme.com>', 'http://acme.com'],
  ])('as an argument, a domain in %j is what was typed: %j', (sent, typed) => {
    expect(typedText.parse(sent)).toBe(typed);
  });

  it('makes no mention out of one that was typed as text', () => {
    expect(unescapeSlack('&lt;@U0SAM000002&gt;')).toBe('<@U0SAM000002>');
    expect(unescapeSlack('&amp;lt;@U0SAM000002&amp;gt;')).toBe('&lt;@U0SAM000002&gt;');
  });

  it.each(['<@U0SAM000002> and more', 'x<@U0SAM000002>', '@sam', '<@>', '<@u0sam>', '<!here>'])(
    'is no mention of one person: %j',
    (text) => {
      expect(mentionedUser(text)).toBeUndefined();
    },
  );

  it('comes back as it was typed, whatever it holds of entities and addresses', () => {
    const directory = directoryOf(createWorld(acme, Date.now, () => 'id'));
    const word = fc.oneof(
      fc.constantFrom(...'& <b> a&b &lt; 1 < 2 > 0 jane@acme.com https://x.example/?a=1&b=2 #vip'.split(' ')),
      fc.stringMatching(/^[a-z0-9&<>;]{1,8}$/),
    );
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 6 }), (words) => {
        const typed = words.join(' ');
        expect(unescapeSlack(escapeTyped(typed, directory))).toBe(typed);
      }),
    );
  });

  it('is read in time that grows with its length alone', () => {
    for (const piece of ['<', '<mailto:', '&lt;', ' ']) {
      const hostile = piece.repeat(40_000);
      expect(unescapeSlack(hostile).length).toBeLessThanOrEqual(hostile.length);
    }
  });
});

describe('a search with pasted links', () => {
  it.each([
    ['https://shop.example/returns/?order=1#x', 'shop.example/returns'],
    ['shop.example/cart?token=secret', 'shop.example/cart'],
    ['http://127.0.0.1:3000/cart?token=secret', '127.0.0.1:3000/cart'],
    ['look (https://shop.example/a?b) and localhost:80/c#d', 'look (shop.example/a and localhost:80/c'],
    ['https://dashboard.example/dashboard/visitors/Xq9Z?tab=1', 'Xq9Z'],
    ['jane@acme.com', 'jane@acme.com'],
    ['acme.com', 'acme.com'],
    ['#vip online 1.5/2 ip:1.1.1.1', '#vip online 1.5/2 ip:1.1.1.1'],
  ])('keeps no query string and no fragment: %s', (typed, kept) => {
    expect(withoutLinkSecrets(typed)).toBe(kept);
  });

  it('keeps no query string and no fragment of any address', () => {
    const secrets = fc.constantFrom('?secret', '#secret', '?a=1&secret#b', '?%20secret');
    fc.assert(
      fc.property(webAddress, secrets, (address, secret) => {
        expect(withoutLinkSecrets(`see ${address}${secret} please`)).not.toContain('secret');
      }),
    );
  });

  it.each([
    'https://elsewhere.example/watch/abcdef',
    'https://service.example/s/abcdef',
    'https://live.example:8443/s/abcdef',
    'service.example/s/abcdef',
    'see <https://service.example/s/abcdef>, quick',
    'HTTPS://SERVICE.EXAMPLE/s/abcdef',
  ])('is not run where one may be a watch link: %s', (text) => {
    expect(holdsWatchLink(text, ['service.example', 'live.example'])).toBe(true);
  });

  it.each([
    'https://service.example/dashboard/visitors/Xq9Z',
    'https://service.example/',
    'https://shop.example/watches/gold',
    'https://service.example:9/s/abcdef',
    'jane@service.example',
    'watch/abc',
  ])('is run where none can be one: %s', (text) => {
    expect(holdsWatchLink(text, ['service.example:443', 'service.example:8443'])).toBe(false);
  });
});
