import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { ALEX, SAM, SUPPORT, buttonsIn, personIn, readable } from '../support/person.ts';
import type { PageMessage } from '../../sandbox/slack/page-api.ts';
import { isForm, shows } from './forms.ts';

const WatchUrlBody = z.looseObject({
  agent: z.object({ id: z.string(), name: z.string() }),
  webhook_url: z.string().optional(),
});

const linkIn = ({ blocks }: Pick<PageMessage, 'blocks'>): string | undefined =>
  buttonsIn(blocks).find(({ text }) => text.text === 'Open the live view')?.url;

describe('Watch in Socket Mode, without a public address', () => {
  const { sandbox, logLines } = checkedSandbox({ socketMode: true });
  const minted = () => sandbox().service.requests.filter(({ path }) => path.endsWith('/watch_url'));

  it('is a button without an address', async () => {
    const list = await personIn(sandbox()).type('/cobrowse find jane@acme.com');
    const watch = buttonsIn(list.blocks).find(({ text }) => text.text === 'Watch');
    expect(watch?.value).toBe(JSON.stringify(['jane4821', 'full', ALEX]));
    expect(watch?.url).toBeUndefined();
    expect(minted()).toEqual([]);
  });

  it('answers the press with a link for that person alone, in the message’s place', async () => {
    const alex = personIn(sandbox());
    const list = await alex.type('/cobrowse find jane@acme.com');
    const ready = await alex.pressToReplace(list, /^Watch/);
    expect(ready).toMatchObject({ ephemeral: true, channel: SUPPORT, ts: list.ts });
    expect(ready.text).toContain('The link is ready. Only you can see it. It expires at ');
    expect(ready.text).not.toMatch(/https?:/);
    const link = linkIn(ready) ?? '';
    expect(link).toMatch(new RegExp(`^${sandbox().service.url}/watch/`));
    const others = personIn(sandbox(), SAM).messages();
    expect(JSON.stringify(others)).not.toContain(link);
    const session = await sandbox().service.openWatchLink(link);
    expect(session).toMatchObject({ visitor_id: 'jane4821', agents: [{ name: 'Alex Rivera' }] });
    await sandbox().service.endSession(session.id);
  });

  it('names the person who pressed as the agent, and no address for the session’s end', async () => {
    const sam = personIn(sandbox(), SAM);
    await sam.pressToReplace(await sam.type('/cobrowse watch noah'), /^Watch/);
    const body = WatchUrlBody.parse(minted().at(-1)?.body);
    expect(body.agent).toEqual({ id: `slack-T0ACME00000-${SAM}`, name: 'Sam Lee' });
    expect(body.webhook_url).toBeUndefined();
  });

  it('never puts a link into a channel message, a direct message or the log', async () => {
    const alex = personIn(sandbox());
    const ready = await alex.pressToReplace(await alex.type('/cobrowse watch priya55'), /^Watch/);
    const link = linkIn(ready) ?? 'none';
    const token = new URL(link).pathname.split('/').at(-1) ?? 'none';
    const posted = sandbox().slack.calls.filter(({ method }) => method === 'chat.postMessage');
    expect(JSON.stringify(posted)).not.toContain(token);
    expect(logLines.join('')).not.toContain(token);
    const everyone = [ALEX, SAM].flatMap((userId) => personIn(sandbox(), userId).messages());
    expect(JSON.stringify(everyone.filter(({ ephemeral }) => !ephemeral))).not.toContain(token);
  });

  it('is acknowledged and nothing else when the link button itself is pressed', async () => {
    const alex = personIn(sandbox());
    const ready = await alex.pressToReplace(await alex.type('/cobrowse watch janepark'), /^Watch/);
    const before = minted().length;
    await alex.press(ready, /^Open the live view/);
    await alex.type('/cobrowse usage');
    expect(minted().length).toBe(before);
    expect(alex.messages()).toContainEqual(ready);
    expect(sandbox().slack.snapshot(ALEX)).toMatchObject({ failed: [], pending: [] });
  });

  it('says so when the visitor is gone by then', async () => {
    sandbox().service.addVisitor({ short_id: 'gone1' });
    const alex = personIn(sandbox());
    const offer = await alex.type('/cobrowse watch gone1');
    const { url, apiKey } = sandbox().service;
    await fetch(`${url}/v1.3/visitors/gone1`, { method: 'DELETE', headers: { 'x-api-key': apiKey } });
    const answer = await alex.pressToReplace(offer, /^Watch/);
    expect(answer.text).toContain('No visitor has the ID gone1.');
  });

  it('works in a modal too, where the link replaces its content', async () => {
    const alex = personIn(sandbox());
    const form = await alex.shortcut(await alex.say('jane4821 please'), 'find_visitor', isForm);
    await alex.submit(form, 'long3');
    const results = await alex.modal(shows('Longname'));
    await alex.pressInModal(results, /^Watch/);
    const ready = await alex.modal(shows('The link is ready.'));
    expect(ready.id).toBe(results.id);
    expect(linkIn(ready)).toContain('/watch/');
    const token = new URL(linkIn(ready) ?? '').pathname.split('/').at(-1) ?? 'none';
    expect(logLines.join('')).not.toContain(token);
  });
});

describe('Socket Mode when Slack asks for a new connection', () => {
  const { sandbox, logLines } = checkedSandbox({ socketMode: true });

  it('answers every command meanwhile', async () => {
    const alex = personIn(sandbox());
    for (let time = 0; time < 5; time += 1) {
      sandbox().slack.refreshSockets();
      const answer = await alex.type('/cobrowse usage');
      expect(answer.text).toContain('Co-browsing account usage');
    }
    const { slack } = sandbox();
    expect(slack.calls.filter(({ method, error }) => method === 'ack' && error !== undefined)).toEqual([]);
    expect(slack.calls.filter(({ method }) => method === 'apps.connections.open').length).toBeGreaterThan(1);
    expect(logLines.join('')).toContain('refresh_requested');
  });
});

describe('an expiring watch link in Slack', () => {
  const { sandbox } = checkedSandbox({ socketMode: true, service: { watchLinkLifetimeMs: 150 } });

  it('is replaced by a Watch button for a fresh one', async () => {
    const alex = personIn(sandbox());
    const offer = await alex.type('/cobrowse watch jane4821');
    await alex.press(offer, /^Watch/);
    const expired = await alex.message(({ ts, text }) => ts === offer.ts && text.includes('link expired'));
    expect(expired.text).toContain('The link expired. Press Watch for a new one.');
    expect(linkIn(expired)).toBeUndefined();
    // It was Alex's own, and nobody knows whether they opened it in time.
    await alex.press(expired, /^Watch/);
    const asked = await alex.message(({ ts, text }) => ts === offer.ts && text.includes('asked to see'));
    await alex.press(asked, /^Open another/);
    const fresh = await alex.message(({ ts, text }) => ts === offer.ts && text.includes('link is ready'));
    expect(linkIn(fresh)).toContain('/watch/');
  });

  it('is replaced in direct messages with the app too', async () => {
    const alex = personIn(sandbox(), ALEX, 'D0ALEX00001');
    const offer = await alex.type('/cobrowse watch priya55');
    await alex.press(offer, /^Watch/);
    const ready = await alex.message(({ ts, text }) => ts === offer.ts && text.includes('link is ready'));
    expect(ready.ephemeral).toBe(true);
    const expired = await alex.message(({ ts, text }) => ts === offer.ts && text.includes('link expired'));
    expect(linkIn(expired)).toBeUndefined();
  });

  it('stays, and its expiry is said beside it, if Slack accepted it only beside the press', async () => {
    const alex = personIn(sandbox());
    const offer = await alex.type('/cobrowse watch janepark');
    sandbox().slack.fail('response_url', { status: 500 });
    const ready = await alex.pressFor(offer, /^Watch/);
    expect(linkIn(ready)).toContain('/watch/');
    await alex.message(({ ts, text }) => ts === offer.ts && text.includes('link expired'));
    expect(alex.messages()).toContainEqual(ready);
    // As all that Slack shows to one person alone.
    sandbox().slack.reload({ as: ALEX });
    expect(JSON.stringify(alex.messages())).not.toContain(linkIn(ready));
  });

  it('is replaced in a modal too', async () => {
    const alex = personIn(sandbox());
    const form = await alex.shortcut(await alex.say('jane4821 please'), 'find_visitor', isForm);
    await alex.submit(form, 'long3');
    await alex.pressInModal(await alex.modal(shows('Longname')), /^Watch/);
    const expired = await alex.modal(shows('The link expired.'));
    expect(expired.id).toBe(form.id);
  });
});

describe('a plan without room for another session, in Socket Mode', () => {
  const { sandbox } = checkedSandbox({ socketMode: true, service: { sessionLimit: 0 } });

  it('is said at the press, with what to do', async () => {
    const alex = personIn(sandbox());
    const answer = await alex.pressToReplace(await alex.type('/cobrowse watch jane4821'), /^Watch/);
    expect(answer.text).toContain('exceed the limits of your co-browsing plan');
    expect(answer.text).toContain('“/cobrowse usage”');
    expect(readable(answer.blocks)).not.toContain('link is ready');
  });
});
