import type { Page } from 'playwright-core';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { startSandbox } from '../../../sandbox/sandbox.ts';
import { problemsOn } from '../../support/axe.ts';
import { bannerOf, truthy } from '../../sandbox/live/banner.ts';
import { hasChromium, useChromium } from '../../support/chromium.ts';
import { agreeIn, openJourney, type Journey } from './stage.ts';

const policyOf = async (url: string) => (await fetch(url)).headers.get('content-security-policy');

it('the shop is shown in no frame but the watch page’s, and the watch page in none', async () => {
  const sandbox = await startSandbox();
  onTestFinished(() => sandbox.close());
  const { shop, service } = sandbox;
  expect(await policyOf(`${shop.url}/checkout`)).toContain(`frame-ancestors ${service.url}`);
  expect(await policyOf(`${service.url}/`)).toContain("frame-ancestors 'none'");
});

describe.skipIf(!hasChromium)('the first minute in the sandbox', () => {
  const browser = useChromium();
  let journey: Journey;

  afterEach(() => journey.close());

  /** Follows the first steps up to Watch. */
  async function startTour() {
    journey = await openJourney(browser(), { sandbox: { slack: { tour: true } } });
    const { page, watch } = journey;
    const coach = page.getByRole('complementary', { name: 'First steps' });
    await coach.getByRole('heading', { name: 'A message arrives' }).waitFor();
    expect(await page.getByRole('article').last().innerText()).toContain('The code on her page is 4821');
    await coach.getByRole('button', { name: 'Find her' }).click();
    await coach.getByRole('button', { name: 'Send it' }).click();
    await coach.getByRole('heading', { name: 'Watch', exact: true }).waitFor();
    return { coach, view: await watch(page.getByRole('log')) };
  }

  it('leads from a message over find and Watch to Jane, who pays, and to the summary', async () => {
    const { coach, view } = await startTour();
    await coach.getByRole('heading', { name: 'Help her in the other tab' }).waitFor();
    const tops = new Set<number>();
    const hint = async (words: string) => {
      await hintIn(view)(words);
      tops.add(Math.round((await view.locator('.pane iframe').boundingBox())?.y ?? 0));
    };
    await hint('As Jane, press “Show this page”');
    await agreeIn(view);
    const jane = view.frameLocator('.pane iframe');
    await jane.getByText('Tell your agent 4821').waitFor();
    await hint('As Jane, press “Pay”.');
    await expect.poll(() => jane.getByLabel('Card number').inputValue()).toBe('4242 4242 4242 4242');
    await isUncovered(view, 'Pay');
    const picture = view.frameLocator('#stage iframe');
    expect(await picture.getByLabel('Name').inputValue()).toBe('•••• ••••••');
    await jane.getByRole('button', { name: 'Pay' }).click();
    await picture.getByText('Something is missing').waitFor();
    await hint('click the unticked box');
    await pointAt(view, '#terms');
    await view.getByText('Highlighted for Jane').waitFor();
    await hint('As Jane, tick the box.');
    await jane.getByRole('checkbox').check();
    await hint('As Jane, press “Pay”.');
    await isUncovered(view, 'Pay');
    await jane.getByRole('button', { name: 'Pay' }).click();
    await picture.getByRole('heading', { name: 'Thank you' }).waitFor();
    await hint('Jane has paid.');
    expect(await view.locator('#state').innerText()).not.toContain('Highlighted');
    expect([...tops], 'where the page below the hints was').toHaveLength(1);
    await view.getByRole('button', { name: 'End session' }).click();
    const summary = journey.article('Co-browsing session ended');
    await summary.waitFor();
    expect(await summary.innerText()).toMatch(/Tools used\s+pointer/);
    await coach.getByRole('button', { name: 'Close', exact: true }).click();
    await coach.waitFor({ state: 'detached' });
  });

  it('leads to a summary as well where Jane declines, in a narrow tab', async () => {
    const { coach, view } = await startTour();
    await view.setViewportSize({ width: 390, height: 844 });
    await bannerOf(view, '.pane iframe').press('Not now');
    await view.getByText('Jane declined.').waitFor();
    expect(await problemsOn(view)).toEqual([]);
    await coach.getByRole('heading', { name: 'The summary is here' }).waitFor();
    expect(journey.sandbox.service.sessions()[0]).toMatchObject({
      session_authorized: false,
      went_live: false,
    });
  });

  it('is played by Jane herself where that is asked for, and the hints are about what she does', async () => {
    journey = await openJourney(browser(), { sandbox: { service: { story: true } } });
    const view = await journey.watch(await journey.ask('/cobrowse 4821'));
    const hint = hintIn(view);
    await hint('Jane plays along, and agrees in a moment.');
    const picture = view.frameLocator('#stage iframe');
    await picture.getByText('Something is missing').waitFor();
    await hint('click the unticked box');
    await pointAt(view, '#terms');
    await hint('Jane saw what’s missing, ticks the box and pays.');
    await picture.getByRole('heading', { name: 'Thank you' }).waitFor();
    await hint('Jane has paid.');
    expect(journey.sandbox.service.sessions()[0]).toMatchObject({
      features_used: ['remote_cursor'],
      went_live: true,
    });
  });
});

/** Waits until the words above the pane are these. */
const hintIn = (view: Page) => (words: string) => view.locator('#hint').filter({ hasText: words }).waitFor();

/** Points at something on the agent's picture of the page. */
async function pointAt(view: Page, selector: string): Promise<void> {
  // On a picture that is some seconds behind, nothing is done.
  await view.getByText('Live', { exact: true }).waitFor();
  const box = await view.frameLocator('#stage iframe').locator(selector).boundingBox();
  await view.mouse.click((box?.x ?? 0) + 8, (box?.y ?? 0) + 8);
}

/** Waits until a button in the visitor's pane is in sight as a whole, with nothing over it. */
async function isUncovered(view: Page, name: string): Promise<void> {
  const pane = await (await view.waitForSelector('.pane iframe')).contentFrame();
  if (pane === null) throw new Error('There is no pane.');
  await truthy(
    pane,
    `(() => {
      const button = [...document.querySelectorAll('button')].find((one) => one.textContent === '${name}');
      const { left, top, right, bottom } = button.getBoundingClientRect();
      const points = [[left + 24, top + 2], [right - 24, bottom - 2]];
      return points.every(([x, y]) => document.elementFromPoint(x, y) === button);
    })()`,
  );
}
