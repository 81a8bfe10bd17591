import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { ALEX, SAM, SUPPORT, buttonsIn, personIn } from '../support/person.ts';
import type { PageMessage } from '../../sandbox/slack/page-api.ts';

const WatchUrlBody = z.looseObject({
  agent: z.object({ id: z.string(), name: z.string() }),
  webhook_url: z.string().optional(),
});

const linkIn = ({ blocks }: Pick<PageMessage, 'blocks'>): string | undefined =>
  buttonsIn(blocks).find(({ text }) => text.text === 'Open the live view')?.url;

describe('Watch in Socket Mode, without a public address', () => {
  const { sandbox } = checkedSandbox({ socketMode: true });
  const minted = () => sandbox().service.requests.filter(({ path }) => path.endsWith('/watch_url'));

  it('is a button without an address, and answers the press with a link for that person alone, in the message’s place', async () => {
    const alex = personIn(sandbox());
    const list = await alex.type('/cobrowse find jane@acme.com');
    const watch = alex.button(list, /^Watch/);
    expect([watch.value, watch.url]).toEqual([JSON.stringify(['jane4821', 'full', ALEX]), undefined]);
    expect(minted()).toEqual([]);
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
    const { agent, webhook_url } = WatchUrlBody.parse(minted().at(-1)?.body);
    expect([agent.id, webhook_url]).toEqual(['agent_alex', undefined]);
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
});

describe('an expiring watch link in Slack', () => {
  // Longer than a double tap.
  const { sandbox } = checkedSandbox({ socketMode: true, service: { watchLinkLifetimeMs: 1_100 } });

  it('stays, and its expiry is said beside it, if Slack accepted it only beside the press', async () => {
    const alex = personIn(sandbox());
    const offer = await alex.type('/cobrowse watch janepark');
    sandbox().slack.fail('response_url', { status: 500 }, 1, 'link is ready');
    const ready = await alex.pressFor(offer, /^Watch/);
    expect(linkIn(ready)).toContain('/watch/');
    const expired = await alex.message(({ ts, text }) => ts === offer.ts && text.includes('link expired'));
    expect(expired.text).toContain('The link expired. Press Watch for a new one.');
    expect(alex.button(expired, /^Watch/).url).toBeUndefined();
    expect(alex.messages()).toContainEqual(ready);
    // As all that Slack shows to one person alone.
    sandbox().slack.reload({ as: ALEX });
    expect(JSON.stringify(alex.messages())).not.toContain(linkIn(ready));
  });
});
