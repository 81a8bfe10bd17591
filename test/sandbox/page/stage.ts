import type { Browser, Page } from 'playwright-core';
import { beforeEach, expect, onTestFinished } from 'vitest';
import { z } from 'zod';
import type { SlackOptions } from '../../../sandbox/slack/slack.ts';
import { startBoth, support } from '../slack/tiny-app.ts';

const root = new URL('../../../', import.meta.url);

/** What a test reads of the requests Slack sends. */
const requestSchema = z.object({
  type: z.string().default('command'),
  /** What follows a command's name. */
  text: z.string().default(''),
  /** What was typed into an external select. */
  value: z.string().default(''),
  event: z.looseObject({ type: z.string() }).optional(),
  trigger_id: z.string().default(''),
  view: z.looseObject({ state: z.unknown() }).optional(),
});

export type SlackRequest = z.output<typeof requestSchema>;
/** The body of the acknowledgement of a request. */
export type Answer = (request: SlackRequest) => object | Promise<object>;

/** What tests read of the answers to the app. */
const answerSchema = z.object({
  ok: z.literal(true),
  file_id: z.string().default(''),
  upload_url: z.string().default(''),
});

/**
 * A stand-in Slack with a small app behind it, and the page open in a browser as Alex Rivera, in #support, until the test
 * is over, which fails if the browser complained of anything or asked anybody but the stand-in.
 */
export async function openStage(browser: Browser, options: Partial<SlackOptions> = {}) {
  const { app, slack, ...both } = await startBoth({
    completions: [{ usage: 'find [query]', summary: 'List visitors.' }],
    pageFolder: new URL('sandbox/page/', root),
    vendorFiles: { '/page/vendor/lit-html/': new URL('node_modules/lit-html/', root) },
    ...options,
  });
  const context = await browser.newContext();
  const page = await context.newPage();
  const complaints = complaintsOf(page, slack.url);
  onTestFinished(async () => {
    await context.close();
    expect(complaints).toEqual([]);
  });
  await page.goto(slack.url);
  const composer = page.getByRole('textbox', { name: 'Message #support' });
  await composer.waitFor();
  /** Calls a Web API method as the app. @throws {Error} where Slack refuses. */
  const call = async (method: string, args: object) => answerSchema.parse(await both.call(method, args));
  /** Until then the app acknowledges everything with nothing. */
  const answerWith = (answer: Answer) =>
    app.acknowledgeWith(async (response, { payload }) => {
      const body = await answer(requestSchema.parse(payload));
      response.setHeader('content-type', 'application/json');
      response.end(Object.keys(body).length === 0 ? '' : JSON.stringify(body));
    });
  return {
    slack,
    get requests() {
      return app.received.map(({ payload }) => requestSchema.parse(payload));
    },
    page,
    composer,
    channel: support,
    answerWith,
    call,
    /** The app opens this modal from the menu of the customer's message, and answers other requests as told. */
    openModal: async (view: object, answer: Answer = () => ({})) => {
      answerWith(async (request) => {
        if (request.type !== 'message_action') return answer(request);
        await call('views.open', { trigger_id: request.trigger_id, view });
        return {};
      });
      const customer = page.getByRole('article').filter({ hasText: 'stuck at checkout' });
      await customer.getByRole('button', { name: 'More actions' }).press('Enter');
      await page.getByRole('menuitem', { name: 'Find visitor' }).press('Enter');
      await page.getByRole('dialog').waitFor();
    },
  };
}

type Stage = Awaited<ReturnType<typeof openStage>>;

/** A stage for each test of a suite; call the function inside a test or hook. */
export function useStage(browser: () => Browser, options: Partial<SlackOptions> = {}): () => Stage {
  let stage: Stage | undefined;
  beforeEach(async () => {
    stage = await openStage(browser(), options);
  });
  return () => {
    if (stage === undefined) throw new Error('The page has not opened.');
    return stage;
  };
}

function complaintsOf(page: Page, own: string): readonly string[] {
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
}
