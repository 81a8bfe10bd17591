import { readFile } from 'node:fs/promises';

import type { Browser, Locator, Page } from 'playwright-core';

import { afterAll, afterEach, beforeEach, onTestFinished } from 'vitest';
import { z } from 'zod';

import { startSlack } from '../../../sandbox/slack/slack.ts';
import type { SlackOptions, StandInSlack } from '../../../sandbox/slack/slack.ts';
import { startSmallApp } from './small-app.ts';
import type { Answer, SlackRequest, SmallApp } from './small-app.ts';
import { firstSupport, supports, withSpareChannels } from './spare-channels.ts';

const root = new URL('../../../', import.meta.url);
const botToken = 'xoxb-page-test';
const alex = 'U0ALEX00001';

/** A stand-in Slack with a small app behind it, and the page open in a browser as Alex Rivera. */
interface AnyStage {
  readonly slack: StandInSlack;
  readonly requests: readonly SlackRequest[];
  readonly page: Page;
  /** The id of #support, which is open on the page. */
  readonly channel: string;
  readonly composer: Locator;
  /** Until then the app acknowledges everything with nothing. */
  answerWith(answer: Answer): void;
  /** Calls a Web API method as the app. @throws {Error} where Slack refuses. */
  call(method: string, args: object): Promise<Called>;
}

export interface Stage extends AnyStage {
  /** @throws {Error} where the browser complained of anything, or asked anybody but the stand-in Slack. */
  close(): Promise<void>;
}

interface SharedStage extends AnyStage {
  /** For a test that does what can't be undone, such as stopping Slack: the next one gets another page. */
  spoil(): void;
}

/** @param options such as another manifest. */
export const openStage = async (browser: Browser, options: Partial<SlackOptions> = {}): Promise<Stage> => {
  const opened = await openPage(browser, options);
  const stage = await putAppBehind(opened, firstSupport);
  return { ...stage, close: () => closePage(opened) };
};

/**
 * One page for all tests of a suite, since each opening costs half a second. Every test finds it as if just opened: in
 * a #support of its own, with what is there at first, and before an app that hasn't been asked anything. What lasts
 * elsewhere, as messages in other channels and the app's Home do, stays there.
 *
 * @param options such as another manifest.
 * @returns the stage; call the function inside a test or hook.
 */
export const shareStage = (
  browser: () => Browser,
  options: Partial<SlackOptions> = {},
): (() => SharedStage) => {
  let opened: OpenPage | undefined;
  let stage: SharedStage | undefined;
  const close = async (): Promise<void> => {
    const closing = opened;
    opened = undefined;
    if (closing !== undefined) await closePage(closing);
  };
  beforeEach(async () => {
    const last = opened === undefined ? undefined : stage;
    opened ??= await openPage(browser(), { ...options, seed: withSpareChannels });
    const begun = await (last ? startAfresh(opened, last) : putAppBehind(opened, firstSupport));
    stage = { ...begun, spoil: () => onTestFinished(close) };
  });
  // Not only at the end, so that it is said of the test that caused it.
  afterEach(() => failOnComplaints(opened?.complaints ?? []));
  afterAll(close);
  return () => {
    if (stage === undefined) throw new Error('The page has not opened.');
    return stage;
  };
};

/** What tests can share: all but the app. */
interface OpenPage {
  readonly slack: StandInSlack;
  readonly page: Page;
  readonly composer: Locator;
  /** What the browser complained of since somebody last looked. */
  readonly complaints: string[];
  /** One for each test. */
  readonly apps: SmallApp[];
}

const openPage = async (browser: Browser, options: Partial<SlackOptions>): Promise<OpenPage> => {
  const slack = await startPagedSlack(options);
  const page = await (await browser.newContext()).newPage();
  const complaints = listenForComplaints(page, slack.url);
  await page.goto(slack.url);
  const composer = page.getByRole('textbox', { name: 'Message #support' });
  await composer.waitFor();
  return { slack, page, composer, complaints, apps: [] };
};

const closePage = async ({ slack, page, complaints, apps }: OpenPage): Promise<void> => {
  await page.context().close();
  await slack.close();
  await Promise.all(apps.map((app) => app.close()));
  failOnComplaints(complaints);
};

const acknowledge: Answer = () => ({});

/** Slack asks this app from now on. What is on its way to the one before it still gets there. */
const putAppBehind = async (
  { slack, page, composer, apps }: OpenPage,
  channel: string,
): Promise<AnyStage> => {
  let answer = acknowledge;
  const app = await startSmallApp((request) => answer(request));
  apps.push(app);
  slack.setRequestUrl(app.url);
  return {
    slack,
    requests: app.requests,
    page,
    channel,
    composer,
    answerWith(changed) {
      answer = changed;
    },
    call: (method, args) => callAsApp(slack, method, args),
  };
};

/** Leaves one #support for the next, and puts away what the last test left open. */
const startAfresh = async (opened: OpenPage, last: AnyStage): Promise<AnyStage> => {
  const { slack, page, composer } = opened;
  const to = supports[supports.indexOf(last.channel) + 1];
  if (to === undefined) throw new Error('There are more tests than channels for them.');
  // It hears of the channels; what it refused, Slack would tell the next app.
  last.answerWith(acknowledge);
  slack.reload({ as: alex });
  slack.deleteChannel({ channel: last.channel });
  slack.join({ channel: to, user: alex });
  const stage = await putAppBehind(opened, to);
  await page.unrouteAll();
  const tabs = page.context().pages();
  await Promise.all(tabs.filter((tab) => tab !== page).map((tab) => tab.close()));
  // It loads the page only if the last test had gone to another person's.
  await page.goto(`${slack.url}/#${to}`);
  await page.locator(`body[data-channel="${to}"]`).waitFor();
  if ((await page.locator('dialog, :popover-open').count()) > 0) await page.reload();
  // As when the page opens.
  await composer.focus();
  return stage;
};

const failOnComplaints = (complaints: string[]): void => {
  const said = complaints.splice(0);
  if (said.length > 0) throw new Error(`The browser complained:\n${said.join('\n')}`);
};

const startPagedSlack = async (options: Partial<SlackOptions>): Promise<StandInSlack> =>
  startSlack({
    signingSecret: 'page-test-secret',
    botToken,
    manifest: JSON.parse(await readFile(new URL('manifest.json', root), 'utf8')),
    completions: [{ usage: 'find [query]', summary: 'List visitors.' }],
    pageFolder: new URL('sandbox/page/', root),
    vendorFiles: { '/page/vendor/lit-html/': new URL('node_modules/lit-html/', root) },
    ...options,
  });

const listenForComplaints = (page: Page, own: string): string[] => {
  const complaints: string[] = [];
  page.on('console', (message) => {
    // What is said of a lost server, or of a picture that is not to be had, is not the page's doing.
    const isOthers =
      message.text().includes('net::ERR_') || message.location().url.includes('/page-api/image');
    if (message.type() === 'error' && !isOthers) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(own)) complaints.push(`It asked ${request.url()}`);
  });
  return complaints;
};

/** What tests read of the answers to the app. */
const answerSchema = z.object({
  ok: z.literal(true),
  ts: z.string().default(''),
  file_id: z.string().default(''),
  upload_url: z.string().default(''),
});

type Called = z.output<typeof answerSchema>;

const callAsApp = async (slack: StandInSlack, method: string, args: object): Promise<Called> => {
  const response = await fetch(`${slack.apiUrl}${method}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${botToken}`, 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify(args),
  });
  return answerSchema.parse(await response.json());
};
