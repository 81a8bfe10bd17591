import { describe, expect, it, onTestFinished } from 'vitest';
import { CobrowseError } from '../../../src/cobrowse/errors.ts';
import type { Reply } from '../../../src/http/server.ts';
import {
  PRESS_REFUSALS,
  againPage,
  badTicketPage,
  blockedPage,
  expiredPage,
  failurePage,
  joinExpiredPage,
  joinPage,
  lookingPage,
  noPressPage,
  notSentPage,
  refusedPage,
  sentPage,
  storeFailurePage,
  takenPage,
} from '../../../src/watch/pages.ts';
import { serve } from '../../http/served.ts';
import { tabTo } from '../journey/stage.ts';
import { problemsInWindows } from '../../support/axe.ts';
import { hasChromium, useChromium } from '../../support/chromium.ts';
import { straightQuotesOnPage } from '../../support/typography.ts';
import { order } from '../../watch/stage.ts';

const form = { action: 'join/ticket', leadsTo: "'self'" };
const longName = 'Wolfeschlegelsteinhausenbergerdorff'.repeat(3);

/** Its own reload would leave it before it is looked at. */
function withoutReload(page: Reply): Reply {
  const headers = Object.entries(page.headers ?? {}).filter(([name]) => name !== 'refresh');
  return { ...page, headers: Object.fromEntries(headers) };
}

const pages: Readonly<Record<string, Reply>> = {
  looking: lookingPage,
  expired: expiredPage,
  blocked: blockedPage,
  'bad-ticket': badTicketPage,
  'no-press': noPressPage,
  taken: takenPage,
  sent: withoutReload(sentPage(order)),
  'not-sent': notSentPage,
  join: joinPage(form, longName, 60_000),
  again: againPage(form),
  'join-expired': joinExpiredPage,
  refused: refusedPage('guest'),
  'not-recorded': storeFailurePage(),
  failure: failurePage(new CobrowseError('busy', 'busy')),
  gone: failurePage(new CobrowseError('not-found', 'gone')),
};

/** A content security policy by its directives. */
function directivesOf(policy: string): ReadonlyMap<string, readonly string[]> {
  return new Map(
    policy
      .split(';')
      .map((directive) => directive.trim().split(/\s+/))
      .map(([name = '', ...sources]) => [name, sources]),
  );
}

const hostile = { action: 'join/"><script>alert(1)</script>', leadsTo: "'self' https:" };
const more: Readonly<Record<string, Reply>> = {
  'a hostile question': joinPage(hostile, '<b>Sam</b>', 1),
  'a hostile answer': againPage(hostile),
  'a hostile code': failurePage(new CobrowseError('refused-key', 'failed', { code: hostile.action })),
  ...Object.fromEntries(PRESS_REFUSALS.map((why) => [why, refusedPage(why)])),
};

it.each(Object.entries({ ...pages, ...more }))(
  'lets nothing run and nobody frame it: %s',
  (_, { headers = {}, body }) => {
    const policy = directivesOf(headers['content-security-policy'] ?? '');
    expect(policy.get('default-src')).toEqual(["'none'"]);
    expect(policy.get('base-uri')).toEqual(["'none'"]);
    expect(policy.get('frame-ancestors')).toEqual(["'none'"]);
    // A form's redirect is held to its policy, too: a link leads to another host, by https.
    const { 'form-action': leads, ...others } = Object.fromEntries(policy);
    expect(["'none'", "'self'", "'self' https:"]).toContain(leads?.join(' '));
    const sources = Object.values(others).flat();
    expect(sources.filter((source) => !/^'(?:none|sha256-[\w+/]{43}=)'$/.test(source))).toEqual([]);
    expect(headers['cache-control']).toBe('no-store');
    expect(String(body)).not.toMatch(/<script[^>]*>alert|\son\w+=|javascript:/i);
  },
);

it.each(Object.entries(pages))('has typographic quotes and apostrophes: %s', (_name, { body }) => {
  expect(straightQuotesOnPage(String(body))).toEqual([]);
});

describe.skipIf(!hasChromium)('each page in place of a live view', () => {
  const browser = useChromium();

  it('is clean to axe-core at every width, and in both colors', async () => {
    const { url } = await serve(
      Object.entries(pages).map(([name, reply]) => ({
        method: 'GET',
        path: `/${name}`,
        handle: () => reply,
      })),
    );
    // Their policy lets no script run, not even the one that looks.
    const context = await browser().newContext({ bypassCSP: true });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    const problems: string[] = [];
    for (const name of Object.keys(pages)) {
      await page.goto(`${url}/${name}`);
      for (const problem of await problemsInWindows(page)) problems.push(`${name} ${problem}`);
    }
    expect(problems).toEqual([]);
  });

  it.each([
    ['no-press', 'Continue in Slack', 'POST /no-press'],
    ['join', 'Join', 'POST /join/ticket'],
    ['again', 'Open another', 'POST /join/ticket'],
  ])('lets the keyboard alone press the button of %s', async (name, button, wanted) => {
    const { url } = await serve([
      { method: 'GET', path: `/${name}`, handle: () => pages[name] ?? noPressPage },
    ]);
    const page = await browser().newPage();
    onTestFinished(() => page.close());
    await page.goto(`${url}/${name}`);
    await tabTo(page, page.getByRole('button', { name: button }));
    const [request] = await Promise.all([
      page.waitForRequest((one) => one.method() === 'POST'),
      page.keyboard.press('Enter'),
    ]);
    expect(`${request.method()} ${new URL(request.url()).pathname}`).toBe(wanted);
  });
});
