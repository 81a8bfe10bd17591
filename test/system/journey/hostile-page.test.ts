import { describe, expect, it, onTestFinished } from 'vitest';
import { page as pageOf } from '../../../src/http/page.ts';
import { serve } from '../../http/served.ts';
import { hasChromium, useChromium } from '../../support/chromium.ts';

const hostile =
  '</title></style><script>document.title="taken"</script><img src=x onerror="document.title=\'taken\'"><svg onload=alert(1)>';
const framing = {
  status: 200,
  headers: { 'content-type': 'text/html', 'content-security-policy': '' },
  body: '<!doctype html><title>Framing</title><iframe src="/page"></iframe>',
};
const words = { title: hostile, text: hostile, next: hostile };
const answers = {
  '/page': pageOf(200, words),
  '/plain': { status: 200, body: hostile },
  '/framing': framing,
};

describe.skipIf(!hasChromium)('a page with hostile words, in a browser', () => {
  const browser = useChromium();

  /** The page at an address, with what it tried to do. */
  async function opened(path: keyof typeof answers) {
    const routes = Object.entries(answers).map(
      ([at, answer]) => ({ method: 'GET', path: at, handle: () => answer }) as const,
    );
    const { url } = await serve(routes);
    const context = await browser().newContext();
    onTestFinished(() => context.close());
    const page = await context.newPage();
    const done: string[] = [];
    page.on('dialog', (dialog) => {
      done.push(`dialog ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('response', (response) => {
      if (response.url() !== `${url}${path}`) done.push(`loaded ${response.url()}`);
    });
    await page.goto(`${url}${path}`);
    return { page, done };
  }

  it('shows them as they are, runs no script that gets in all the same, and loads nothing', async () => {
    const { page, done } = await opened('/page');
    expect(await page.title()).toBe(hostile);
    expect(await page.getByRole('heading').innerText()).toBe(hostile);
    expect(await page.locator('script, img, svg, iframe').count()).toBe(0);
    const blocked = await page.evaluate(`new Promise((resolve) => {
      const seen = new Set();
      document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => {
        seen.add(effectiveDirective);
        if (seen.size === 3) resolve([...seen].sort());
      });
      const make = (tag, set) => Object.assign(document.createElement(tag), set);
      document.body.append(
        make('script', { textContent: 'document.title = "taken"' }),
        make('img', { src: '/plain' }),
        make('style', { textContent: 'body { display: none }' }),
      );
    })`);
    expect(blocked).toEqual(['img-src', 'script-src-elem', 'style-src-elem']);
    expect(await page.title()).toBe(hostile);
    expect(done).toEqual([]);
  });

  it('is shown in nobody else’s frame', async () => {
    const { page } = await opened('/framing');
    const inside = page.frames().find((frame) => frame !== page.mainFrame());
    // The browser's own words that the page refused to be framed.
    expect(inside?.url()).toBe('chrome-error://chromewebdata/');
  });

  it('is no page at all where it is plain text', async () => {
    const { page, done } = await opened('/plain');
    expect(await page.title()).not.toBe('taken');
    expect(await page.locator('img, svg').count()).toBe(0);
    expect(done).toEqual([]);
  });
});
