import type { BrowserContext, Frame, Page } from 'playwright-core';

/** Keeps the closed roots of the snippet, for the test alone. In the browser. */
const keepRoots = `{
  const attach = Element.prototype.attachShadow;
  window.testRoots = [];
  Element.prototype.attachShadow = function (options) {
    const root = attach.call(this, options);
    if (this.localName.startsWith('cobrowse-')) window.testRoots.push(root);
    return root;
  };
}`;

/** Where the middle of a button is in its frame; null while it's not there, or moves. In the browser. */
const centerOf = (label: string) => `(() => {
  for (const root of window.testRoots) {
    for (const button of root.host.isConnected ? root.querySelectorAll('button') : []) {
      if ((button.getAttribute('aria-label') ?? button.textContent) !== ${JSON.stringify(label)}) continue;
      if (root.getAnimations().length > 0) return null;
      const { x, y, width, height } = button.getBoundingClientRect();
      return [x + width / 2, y + height / 2];
    }
  }
  return null;
})()`;

/** The snippet's parts on a page, or in a frame of it. */
export function bannerOf(page: Page, frameSelector?: string) {
  const frame = async () => {
    const element = frameSelector === undefined ? null : await page.waitForSelector(frameSelector);
    return { inside: (await element?.contentFrame()) ?? page, element };
  };
  return {
    /** Presses a button with the mouse, as only a person can. */
    press: async (label: string) => {
      const { inside, element } = await frame();
      const place = async (): Promise<readonly [number, number]> => {
        const [x, y] = pairOf(await truthy(inside, centerOf(label)));
        const box = await element?.boundingBox();
        return [x + (box?.x ?? 0), y + (box?.y ?? 0)];
      };
      // The words above the pane change when its page connects, and move the pane: the button has to stand still.
      let last = await place();
      await page.waitForTimeout(50);
      let now = await place();
      while (last.join() !== now.join()) {
        await page.waitForTimeout(50);
        [last, now] = [now, await place()];
      }
      await page.mouse.click(...now);
    },
    /** Waits for words in the snippet's parts of the page. */
    says: async (words: string) => {
      const { inside } = await frame();
      await truthy(
        inside,
        `window.testRoots.some((root) => root.host.isConnected && root.textContent.includes(${JSON.stringify(words)}))`,
      );
    },
  };
}

/** Forty-five seconds where looking takes no time, as with other waits; longer beside other work. */
const MOST_LOOKS = 900;

/** What an expression in the page gives as soon as it is something; the page's own policy forbids Playwright's wait. */
export async function truthy(inside: Page | Frame, expression: string): Promise<unknown> {
  for (let look = 0; look < MOST_LOOKS; look += 1) {
    // A page that is just being left answers nothing.
    const value: unknown = await inside.evaluate(expression).catch(() => undefined);
    if (value) return value;
    await inside.waitForTimeout(50);
  }
  throw new Error(`It never was: ${expression}`);
}

function pairOf(value: unknown): readonly [number, number] {
  const [x, y]: readonly unknown[] = Array.isArray(value) ? value : [];
  if (typeof x !== 'number' || typeof y !== 'number') throw new Error('No place');
  return [x, y];
}

export async function keepBanners(context: BrowserContext): Promise<void> {
  await context.addInitScript(keepRoots);
}
