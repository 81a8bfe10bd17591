import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startShop, type Shop } from '../../../sandbox/shop/shop.ts';

describe('a page of the sandbox’s shop', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await startShop();
  });
  afterAll(() => shop.close());

  const pageAt = async (path: string) => (await fetch(shop.url + path)).text();

  it.each([
    ['/', 'All products', 'Products'],
    ['/checkout', 'Checkout', 'Cart'],
    ['/thanks', 'Thank you', undefined],
  ])('at %s has the shop’s head and foot around its own part', async (path, title, current) => {
    const page = await pageAt(path);
    expect(page).toContain(`<title>${title} · Acme Shop</title>`);
    expect(page.match(/<(?:header|nav|main|footer)\b/g)).toEqual(['<header', '<nav', '<main', '<footer']);
    expect([...page.matchAll(/aria-current="page">(\w+)/g)].map(([, name]) => name)).toEqual(
      current === undefined ? [] : [current],
    );
    expect(page).not.toMatch(/<!-- (?:title|page)/);
  });

  it('has the snippet of the service that the shop has joined, and says what it costs', async () => {
    expect(await pageAt('/cart')).not.toContain('snippet.js');
    shop.join({ url: 'http://127.0.0.1:1', siteKey: 'site-key' });
    const page = await pageAt('/cart');
    expect(page).toContain('<script src="http://127.0.0.1:1/snippet/snippet.js" data-site-key="site-key">');
    expect(page).toContain('<dd>$9</dd>');
  });
});
