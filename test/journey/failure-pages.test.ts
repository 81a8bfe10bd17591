import type { Page } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import { hasChromium, useChromium } from '../support/chromium.ts';
import { personIn } from '../support/person.ts';
import { faintTexts } from './readability.ts';
import { openJourney } from './stage.ts';
import type { Journey } from './stage.ts';

interface Failure {
  readonly name: string;
  readonly status: number;
  readonly title: RegExp;
  /** What the person is told to do. */
  readonly next: RegExp;
  readonly sandbox?: Parameters<typeof openJourney>[1];
  /** What goes wrong between the answer in Slack and the press. Gives the address that is pressed then. */
  readonly fail: (journey: Journey, address: string) => Promise<string>;
}

const minute = 60_000;
let clock = 0;

const failures: readonly Failure[] = [
  {
    name: 'a Watch button that has expired',
    status: 410,
    title: /has expired/,
    next: /search again with \/cobrowse find/,
    sandbox: { sandbox: { now: () => Date.now() + clock } },
    async fail(_journey, address) {
      clock = 31 * minute;
      return address;
    },
  },
  {
    name: 'an address that was cut off',
    status: 404,
    title: /doesn’t work/,
    next: /press Watch there/,
    fail: async (_journey, address) => address.slice(0, -5),
  },
  {
    name: 'a visitor who is gone',
    status: 404,
    title: /visitor is gone/,
    next: /search again with \/cobrowse find/,
    async fail({ sandbox }, address) {
      const { url, apiKey, setOnline } = sandbox.service;
      setOnline('lm3', false);
      await fetch(`${url}/v1.3/visitors/lm3`, { method: 'DELETE', headers: { 'x-api-key': apiKey } });
      return address;
    },
  },
  {
    name: "the plan's limit",
    status: 402,
    title: /limit/,
    next: /\/cobrowse usage/,
    sandbox: { sandbox: { service: { sessionLimit: 0 } } },
    fail: async (_journey, address) => address,
  },
  {
    name: 'a service that is down',
    status: 502,
    title: /Can’t reach/,
    next: /Try again in a minute/,
    async fail({ sandbox }, address) {
      await sandbox.service.close();
      return address;
    },
  },
];

const structureOf = async (page: Page) => ({
  language: await page.locator('html').getAttribute('lang'),
  title: await page.title(),
  headings: await page.getByRole('heading').allInnerTexts(),
  topHeadings: await page.getByRole('heading', { level: 1 }).count(),
  landmarks: await page.getByRole('main').count(),
  scripts: await page.locator('script').count(),
});

describe.skipIf(!hasChromium)('the page in place of a live view', () => {
  const browser = useChromium();
  let journey: Journey;

  afterEach(async () => {
    clock = 0;
    await journey.close();
  });

  it.each(failures)('says what to do about $name', async ({ status, title, next, sandbox, fail }) => {
    journey = await openJourney(browser(), { ...sandbox, mayFailToLoad: true });
    const offer = await journey.ask('/cobrowse find liam');
    const button = offer.getByRole('link', { name: /^Watch/ });
    const address = await fail(journey, (await button.getAttribute('href')) ?? '');
    const alex = personIn(journey.sandbox);
    await alex.press(await alex.message(({ text }) => text.includes('Liam')), /^Watch/);
    const page = await journey.context.newPage();
    const response = await page.goto(address);
    expect(response?.status()).toBe(status);
    expect(response?.headers()).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    });
    const shown = await page.title();
    expect(shown).toMatch(title);
    expect(await structureOf(page)).toEqual({
      language: 'en',
      title: shown,
      headings: [shown],
      topHeadings: 1,
      landmarks: 1,
      scripts: 0,
    });
    const words = await page.getByRole('main').innerText();
    expect(words).toMatch(next);
    expect(words).not.toMatch(/Liam|undefined|Error/);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await faintTexts(page.locator('html'))).toEqual([]);
    }
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  });
});
