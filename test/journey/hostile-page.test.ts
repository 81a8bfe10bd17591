import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { page as pageOf } from '../../src/http/page.ts';
import { createHttpServer } from '../../src/http/server.ts';
import { hasChromium, useChromium } from '../support/chromium.ts';

const hostile =
  '</title></style><script>document.title="taken"</script><img src=x onerror="document.title=\'taken\'"><svg onload=alert(1)>';

describe.skipIf(!hasChromium)('a page with hostile words, in a browser', () => {
  const browser = useChromium();
  let server: ReturnType<typeof createHttpServer>;
  let url = '';

  beforeEach(async () => {
    const words = { title: hostile, text: hostile, next: hostile };
    const framing = `<!doctype html><title>Framing</title><iframe src="/page"></iframe>`;
    server = createHttpServer(
      [
        { method: 'GET', path: '/page', handle: () => pageOf(200, words) },
        { method: 'GET', path: '/plain', handle: () => ({ status: 200, body: hostile }) },
        {
          method: 'GET',
          path: '/framing',
          handle: () => ({
            status: 200,
            headers: { 'content-type': 'text/html', 'content-security-policy': '' },
            body: framing,
          }),
        },
      ],
      () => ({ status: 500 }),
    );
    url = `http://127.0.0.1:${await server.listen(0, '127.0.0.1')}`;
  });
  afterEach(() => server.close());

  /** The page at an address, with what it tried to do. */
  async function opened(path: string) {
    const context = await browser().newContext();
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
    return { page, done, close: () => context.close() };
  }

  it('shows them as they are, and runs nothing of them', async () => {
    const { page, done, close } = await opened('/page');
    expect(await page.title()).toBe(hostile);
    expect(await page.getByRole('heading').innerText()).toBe(hostile);
    expect(await page.locator('script, img, svg, iframe').count()).toBe(0);
    expect(done).toEqual([]);
    await close();
  });

  it('runs no script that gets into it all the same, and loads nothing', async () => {
    const { page, done, close } = await opened('/page');
    const blocked = await page.evaluate(`new Promise((resolve) => {
      const seen = new Set();
      document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => {
        seen.add(effectiveDirective);
        if (seen.size === 3) resolve([...seen].sort());
      });
      const script = document.createElement('script');
      script.textContent = 'document.title = "taken"';
      const image = document.createElement('img');
      image.src = '/plain';
      const style = document.createElement('style');
      style.textContent = 'body { display: none }';
      document.body.append(script, image, style);
    })`);
    expect(blocked).toEqual(['img-src', 'script-src-elem', 'style-src-elem']);
    expect(await page.title()).toBe(hostile);
    expect(done).toEqual([]);
    await close();
  });

  it('is shown in nobody else’s frame', async () => {
    const { page, close } = await opened('/framing');
    const inside = page.frames().find((frame) => frame !== page.mainFrame());
    // The browser's own words that the page refused to be framed.
    expect(inside?.url()).toBe('chrome-error://chromewebdata/');
    await close();
  });

  it('is no page at all where it is plain text', async () => {
    const { page, done, close } = await opened('/plain');
    expect(await page.title()).not.toBe('taken');
    expect(await page.locator('img, svg').count()).toBe(0);
    expect(done).toEqual([]);
    await close();
  });
});
