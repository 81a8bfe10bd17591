import type { Browser, BrowserContext } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { startShop } from '../../../sandbox/shop/shop.ts';
import { bannerOf, keepBanners } from './banner.ts';
import { standIn, watchLink } from '../service/stand-in.ts';

function listen(context: BrowserContext, own: ReadonlySet<string>, complaints: string[]): void {
  context.on('console', (message) => {
    // The picture runs no scripts, so it's no complaint that the browser says so.
    if (message.text().startsWith('Blocked script execution in')) return;
    if (message.type() === 'error') complaints.push(`${message.text()} (${message.location().url})`);
  });
  context.on('weberror', (error) => complaints.push(error.error().message));
  context.on('dialog', (dialog) => {
    complaints.push(`A dialog said ${dialog.message()}`);
    void dialog.dismiss();
  });
  context.on('request', (request) => {
    const url = new URL(request.url());
    if (url.protocol !== 'data:' && !own.has(url.origin)) complaints.push(`It asked ${request.url()}`);
  });
}

/** The shop's checkout as Jane's, and a watch link for her, opened, each in a browser of its own. */
export async function openTwoPages(
  browser: Browser,
  options: {
    readonly path?: string;
    readonly viewport?: { readonly width: number; readonly height: number };
  } = {},
) {
  const { path = '/checkout', viewport = { width: 1000, height: 760 } } = options;
  const service = await standIn();
  const shop = await startShop();
  shop.join(service);
  const contexts = [await browser.newContext({ viewport }), await browser.newContext({ viewport })] as const;
  onTestFinished(async () => {
    for (const context of contexts) await context.close();
    await shop.close();
  });
  const complaints: string[] = [];
  const own = new Set([service.url, shop.url]);
  for (const context of contexts) listen(context, own, complaints);
  await keepBanners(contexts[0]);
  const [visitor, agent] = [await contexts[0].newPage(), await contexts[1].newPage()];
  const sent: string[] = [];
  visitor.on('websocket', (socket) => socket.on('framesent', ({ payload }) => sent.push(String(payload))));
  await visitor.goto(`${shop.url}${path}#visitor=${service.visitorToken('jane4821')}`);
  await agent.goto((await watchLink(service, 'jane4821')).url);
  const picture = agent.frameLocator('#stage iframe');
  const banner = bannerOf(visitor);
  return {
    service,
    visitor,
    agent,
    /** The visitor's page as the agent sees it. */
    picture,
    /** Everything the visitor's page sent to the service. */
    sent,
    banner,
    /** What either browser complained of, and what it asked of others than the shop and the service. */
    complaints,
    /** The visitor agrees, and the agent has the picture. */
    agree: async () => {
      await banner.press('Show this page');
      await agent.getByText('Live', { exact: true }).waitFor();
      await picture.locator('body').waitFor();
    },
    /** The agent asks for control, and the visitor lends it. */
    lend: async () => {
      await agent.getByRole('button', { name: 'Ask for control' }).click();
      await banner.press('Allow');
      await agent.getByText('Control is on').waitFor();
    },
    /** A place on the agent's page that shows an element of the visitor's. */
    placeOf: async (selector: string) => {
      await picture.locator(selector).waitFor({ state: 'attached' });
      // On a picture that is some seconds behind, nothing is done: after a stall, the next news has to come first.
      await agent.getByText('Live', { exact: true }).waitFor();
      const box = await picture.locator(selector).boundingBox();
      if (box === null) throw new Error(`${selector} is not seen`);
      return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    },
  };
}

/** Does something until it shows: for what a lost mouse move would make wait for ever. */
export async function eventually(look: () => Promise<unknown>, wanted: unknown): Promise<void> {
  await expect.poll(look).toEqual(wanted);
}
