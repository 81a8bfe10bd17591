import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { startSandbox, type Sandbox } from '../../../sandbox/sandbox.ts';
import { bannerOf, keepBanners } from '../../sandbox/live/banner.ts';
import { PATIENT_MS, expectSound } from '../../support/checked-sandbox.ts';
import { hasPostgres, postgresql } from '../../support/engines.ts';
import { ALEX } from '../../support/person.ts';

interface JourneyOptions {
  readonly sandbox?: Parameters<typeof startSandbox>[0];
  /** Dark journeys run on PostgreSQL where there is a server, so that both engines are seen in a browser. */
  readonly colorScheme?: 'light' | 'dark';
}

/** The whole sandbox, with its page open in a browser as Alex Rivera. */
export interface Journey {
  readonly sandbox: Sandbox;
  readonly context: BrowserContext;
  readonly page: Page;
  readonly composer: Locator;
  /** Types a command into the open channel and gives the private answer. */
  readonly ask: (text: string) => Promise<Locator>;
  /** Does what opens a tab, and gives the loaded tab. */
  readonly opening: (action: () => Promise<void>) => Promise<Page>;
  /** Presses the first Watch of an answer, and gives the loaded tab. */
  readonly watch: (answer: Locator) => Promise<Page>;
  /** A message with these words in it. */
  readonly article: (words: string) => Locator;
  readonly modal: (name: string) => Locator;
  /** Fails where the browser complained, a request left this machine or the app sent Slack anything unsound. */
  close(): Promise<void>;
}

/** What no page may cause: errors, violated policies, dialogs, requests to anybody but the three servers. */
function listenForComplaints(context: BrowserContext, sandbox: Sandbox): string[] {
  const { slack, many, service, shop } = sandbox;
  const all = [slack, service, shop, ...(many === undefined ? [] : Object.values(many))];
  const own = new Set([...all.map(({ url }) => url), sandbox.publicUrl]);
  const complaints: string[] = [];
  context.on('console', (message) => {
    // What these tests put into each page, to reach the snippet's buttons, does not run where nothing of a page does.
    const isOurs =
      message.text().startsWith('Blocked script execution in') &&
      message.location().url.startsWith(sandbox.service.url);
    if (message.type() === 'error' && !isOurs)
      complaints.push(`${message.text()} (${message.location().url})`);
  });
  context.on('weberror', (error) => complaints.push(error.error().message));
  context.on('request', (request) => {
    const url = new URL(request.url());
    if (url.protocol !== 'data:' && !own.has(url.origin)) complaints.push(`It asked ${request.url()}`);
  });
  context.on('dialog', (dialog) => {
    complaints.push(`A dialog said ${dialog.message()}`);
    void dialog.dismiss();
  });
  return complaints;
}

const VIEWPORT = { width: 1280, height: 800 };

/** @param options of the sandbox and the browser; a closed watch page ends its session soon unless told otherwise */
export async function openJourney(browser: Browser, options: JourneyOptions = {}): Promise<Journey> {
  const { colorScheme = 'light' } = options;
  // A browser beside other work may close a tab without a goodbye, which the service takes for a lost connection.
  const service = { pageClosedMs: 100, pageLostMs: 1_000, ...options.sandbox?.service };
  const database = colorScheme === 'dark' && hasPostgres ? await postgresql.make() : undefined;
  const sandbox = await startSandbox({
    paceMs: 0,
    pageWaitMs: PATIENT_MS,
    ...(database && { storeUrl: database.url }),
    ...options.sandbox,
    service,
  });
  // The people’s own time zone, which the page would otherwise tell from the machine.
  const context = await browser.newContext({
    colorScheme,
    viewport: VIEWPORT,
    timezoneId: 'Europe/Amsterdam',
  });
  await keepBanners(context);
  const complaints = listenForComplaints(context, sandbox);
  const page = await context.newPage();
  await page.goto(sandbox.slack.url);
  const composer = page.getByRole('textbox', { name: /^Message / });
  await composer.waitFor();
  const opening: Journey['opening'] = async (action) => {
    const [opened] = await Promise.all([context.waitForEvent('page'), action()]);
    await opened.waitForLoadState();
    return opened;
  };
  return {
    sandbox,
    context,
    page,
    composer,
    async ask(text) {
      const answers = page
        .getByRole('article')
        .filter({ hasText: 'Only visible to you', hasNotText: /Still (?:searching|working on it)…/ });
      const before = await answers.count();
      await composer.fill(text);
      await composer.press('Enter');
      await answers.nth(before).waitFor();
      return answers.nth(before);
    },
    opening,
    watch: (answer) =>
      opening(() =>
        answer
          .getByRole('link', { name: /^Watch/ })
          .first()
          .click(),
      ),
    article: (words) => page.getByRole('article').filter({ hasText: words }),
    modal: (name) => page.getByRole('dialog', { name }),
    async close() {
      await context.close();
      await sandbox.close();
      await database?.drop();
      expect(complaints).toEqual([]);
      expectSound(sandbox);
    },
  };
}

/**
 * One journey for all tests of a suite, since each opening costs a second. Every test finds the page as if just opened,
 * but what earlier tests posted is still there, and a session whose tab was closed ends a moment later. So each test
 * looks for its own.
 *
 * @returns the journey; call the function inside a test or hook.
 */
export function shareJourney(browser: () => Browser, options: JourneyOptions = {}): () => Journey {
  let journey: Journey | undefined;
  const opened = (): Journey => {
    if (journey === undefined) throw new Error('The page has not opened.');
    return journey;
  };
  beforeAll(async () => {
    journey = await openJourney(browser(), options);
  });
  beforeEach(() => opened().composer.focus());
  afterEach(async () => {
    const { context, page, sandbox, composer } = opened();
    const tabs = context.pages().filter((tab) => tab !== page);
    await Promise.all(tabs.map((tab) => tab.close()));
    await page.setViewportSize(VIEWPORT);
    if ((await page.locator('dialog, :popover-open').count()) === 0) return;
    sandbox.slack.reload({ as: ALEX });
    await page.goto(sandbox.slack.url);
    await composer.waitFor();
  });
  afterAll(() => journey?.close());
  return opened;
}

/** The visitor's hand in the watch tab: they agree to be seen in their own browser, which is shown there. */
export async function agreeIn(view: Page): Promise<void> {
  await bannerOf(view, '.pane iframe').press('Show this page');
  await view.getByText('Live', { exact: true }).waitFor();
}

/** Goes through the page by keyboard until the focus is on `target`. @throws {Error} where it cannot be reached */
export async function tabTo(page: Page, target: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  await target.waitFor();
  for (let pressed = 0; pressed < 60; pressed += 1) {
    if (await target.evaluate((element) => element.matches(':focus'))) return;
    await page.keyboard.press(key);
  }
  throw new Error(`The keyboard does not reach ${String(target)}`);
}
