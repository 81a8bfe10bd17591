import { readFile } from 'node:fs/promises';

import type { Browser, Locator, Page } from 'playwright-core';

import { z } from 'zod';

import { startSlack } from '../../../src/sandbox/slack/slack.ts';
import type { SlackOptions, StandInSlack } from '../../../src/sandbox/slack/slack.ts';
import { startSmallApp } from './small-app.ts';
import type { Answer, SlackRequest } from './small-app.ts';

const root = new URL('../../../', import.meta.url);
const botToken = 'xoxb-page-test';

/** A stand-in Slack with a small app behind it, and the page open in a browser as Alex Rivera. */
export interface Stage {
  readonly slack: StandInSlack;
  readonly requests: readonly SlackRequest[];
  readonly page: Page;
  readonly composer: Locator;
  answerWith(answer: Answer): void;
  /** Calls a Web API method as the app. @throws {Error} where Slack refuses. */
  call(method: string, args: object): Promise<Called>;
  /** @throws {Error} where the browser complained of anything, or asked anybody but the stand-in Slack. */
  close(): Promise<void>;
}

/**
 * @param first what the app acknowledges with; may be changed later.
 * @param options such as another manifest.
 */
export const openStage = async (
  browser: Browser,
  first: Answer = () => ({}),
  options: Partial<SlackOptions> = {},
): Promise<Stage> => {
  let answer = first;
  const app = await startSmallApp((request) => answer(request));
  const slack = await startPagedSlack({ requestUrl: app.url, ...options });
  const page = await (await browser.newContext()).newPage();
  const complaints = listenForComplaints(page, slack.url);
  await page.goto(slack.url);
  const composer = page.getByRole('textbox', { name: 'Message #support' });
  await composer.waitFor();
  return {
    slack,
    requests: app.requests,
    page,
    composer,
    answerWith(changed) {
      answer = changed;
    },
    call: (method, args) => callAsApp(slack, method, args),
    async close() {
      await page.context().close();
      await slack.close();
      await app.close();
      if (complaints.length > 0) throw new Error(`The browser complained:\n${complaints.join('\n')}`);
    },
  };
};

const startPagedSlack = async (options: Partial<SlackOptions>): Promise<StandInSlack> =>
  startSlack({
    signingSecret: 'page-test-secret',
    botToken,
    manifest: JSON.parse(await readFile(new URL('manifest.json', root), 'utf8')),
    completions: [{ usage: 'find [query]', summary: 'List visitors.' }],
    pageFolder: new URL('src/sandbox/page/', root),
    vendorFiles: { '/page/vendor/lit-html/': new URL('node_modules/lit-html/', root) },
    ...options,
  });

const listenForComplaints = (page: Page, own: string): readonly string[] => {
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
