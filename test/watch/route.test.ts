import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { IssuedLink } from '../../src/messages/link-request.ts';
import { IN_USE_MS } from '../../src/sessions/watch-links.ts';
import { createTickets } from '../../src/http/tickets.ts';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { linksMade, open, watchAddress, watchOf } from './opening.ts';
import { order } from './stage.ts';

const clock = { aheadMs: 0 };
// Here the ticket alone is looked at; what the press must prove beside it is proof.test.ts's.
const { sandbox } = checkedSandbox({ now: () => Date.now() + clock.aheadMs, watchProof: 'ticket' });

const sessionEndTickets = () => createTickets(sandbox().config.secretKeys)('session-end', IssuedLink);
const links = () => linksMade(sandbox()).length;

/** The address behind a Watch button, as a person in Slack gets it, long after what was opened before. */
async function pressedAddress(): Promise<string> {
  clock.aheadMs += IN_USE_MS + 1;
  return (await watchOf(sandbox(), 'jane4821')).address;
}

const LinkBody = z.strictObject({
  agent: z.strictObject({ id: z.string(), name: z.string() }),
  webhook_url: z.string(),
  metadata: z.record(z.string(), z.string()),
});

describe('GET /watch/:ticket with a good ticket', () => {
  it('asks for a link with the agent, where to post the session’s end, and ids', async () => {
    await open(watchAddress(sandbox(), { threadTs: '1700000000.000100' }));
    const { agent, webhook_url: webhook, metadata } = LinkBody.parse(linksMade(sandbox())[0]?.body);
    expect(agent).toEqual({ id: 'agent_alex', name: 'Alex Rivera' });
    const linkId = metadata['slack_link'];
    expect(linkId).toMatch(/^[0-9a-f-]{36}$/);
    expect(metadata).toEqual({
      slack_link: linkId,
      slack_workspace: order.workspaceId,
      slack_user: order.userId,
      slack_channel: order.channelId,
    });
    const [ticket, ...none] = webhook.split(`${sandbox().publicUrl}/webhooks/session-end/`).toReversed();
    expect(none).toEqual(['']);
    expect(sessionEndTickets().read(ticket ?? '')).toMatchObject({
      state: 'good',
      content: { ...order, threadTs: '1700000000.000100', linkId },
    });
  });

  it('leads to a watch link that is stored nowhere and logged nowhere', async () => {
    const answer = await open(await pressedAddress());
    expect(answer.status).toBe(302);
    const location = answer.headers.get('location') ?? '';
    expect(location.startsWith(`${sandbox().service.url}/watch/`)).toBe(true);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    expect(answer.headers.has('set-cookie')).toBe(false);
    expect(await answer.text()).toBe('');
    const session = await sandbox().service.openWatchLink(location);
    expect(session.visitor_id).toBe('jane4821');
    await sandbox().service.endSession(session.id);
  });
});

const GOOGLE =
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Googlebot/2.1; +http://www.google.com/bot.html)';

describe('GET /watch/:ticket by something that only looks', () => {
  it.each<[string, Record<string, string>]>([
    ['HEAD', {}],
    ['a prefetching browser', { 'sec-purpose': 'prefetch' }],
    ['Firefox that prefetches', { 'x-moz': 'prefetch' }],
    ['an image on some page', { 'sec-fetch-dest': 'image', 'sec-fetch-mode': 'no-cors' }],
    ['a script on some page', { 'sec-fetch-dest': 'empty', 'sec-fetch-mode': 'cors' }],
    ['a frame', { 'sec-fetch-dest': 'iframe', 'sec-fetch-mode': 'navigate' }],
    ['Slack', { 'user-agent': 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)' }],
    ['Google', { 'user-agent': GOOGLE }],
    ['WhatsApp', { 'user-agent': 'WhatsApp/2.23.20.0' }],
    ['a mail filter', { 'user-agent': 'BarracudaCentral/1.0' }],
  ])('makes no link for %s', async (what, headers) => {
    const address = await pressedAddress();
    const before = links();
    const answer = await open(address, { method: what === 'HEAD' ? what : 'GET', headers });
    expect(answer.status).toBe(200);
    expect(answer.headers.has('location')).toBe(false);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const page = await answer.text();
    expect(page).not.toMatch(/jane|https?:/i);
    expect(page === '').toBe(what === 'HEAD');
    expect(links()).toBe(before);
    // The press that follows is not harmed by the look before it.
    expect((await open(address)).status).toBe(302);
  });
});

describe('GET /watch/:ticket by a person', () => {
  const navigated = { 'sec-fetch-dest': 'document', 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'none' };
  it.each([
    ['of Chromium', { ...navigated, 'sec-fetch-user': '?1' }],
    ['of Safari, and of a page that comes back by itself', navigated],
    ['that is older', { 'user-agent': 'Mozilla/5.0 (Windows NT 6.1; Trident/7.0; rv:11.0) like Gecko' }],
    [
      'on a phone by the name of CUBOT',
      { 'user-agent': 'Mozilla/5.0 (Linux; Android 11; CUBOT P40) AppleWebKit/537.36 Chrome/99 Mobile' },
    ],
    ['that says nothing of itself', { 'user-agent': '' }],
  ])('makes a link in a browser %s', async (_, headers) => {
    expect((await open(await pressedAddress(), { headers })).status).toBe(302);
  });
});

describe('GET /watch/:ticket with a ticket that does not do', () => {
  it('says that an old button has expired and where to get another', async () => {
    const address = await pressedAddress();
    const before = links();
    clock.aheadMs += 30 * 60 * 1_000 - 5_000;
    const almost = await open(address);
    clock.aheadMs += 5_001;
    const answer = await open(address);
    expect([almost.status, answer.status]).toEqual([302, 410]);
    expect(answer.headers.has('location')).toBe(false);
    const page = await answer.text();
    expect(page).toContain('<h1>This Watch button has expired</h1>');
    expect(page).toContain('search again with /cobrowse find');
    expect(links()).toBe(before + 1);
  });

  // What else is no ticket is test/http/tickets' subject.
  it('says of nonsense, of hostile text and of a ticket for something else that the address does not work', async () => {
    const ofSessionEnd = sessionEndTickets().issue({ ...order, linkId: 'g' }, 60_000);
    const before = links();
    for (const ticket of ['nonsense', encodeURIComponent('"><script>alert(1)</script>'), ofSessionEnd]) {
      const answer = await open(`${sandbox().publicUrl}/watch/${ticket}`);
      expect(answer.status).toBe(404);
      const page = await answer.text();
      expect(page).toContain('<h1>This link doesn’t work</h1>');
      expect(page).toContain('press Watch there');
      expect(page).not.toContain('alert(1)');
    }
    expect(links()).toBe(before);
  });
});
