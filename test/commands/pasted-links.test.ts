import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holdsWatchLink, withoutLinkSecrets } from '../../src/commands/typed.ts';
import { webAddress } from '../support/any-text.ts';

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
    fc.assert(
      fc.property(
        webAddress,
        fc.constantFrom('?secret', '#secret', '?a=1&secret#b', '?%20secret'),
        (address, secret) => {
          expect(withoutLinkSecrets(`see ${address}${secret} please`)).not.toContain('secret');
        },
      ),
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
