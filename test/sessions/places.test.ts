import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp } from '../../src/app.ts';
import { createLog } from '../../src/log.ts';
import { startSandbox } from '../../sandbox/sandbox.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { ALEX, KIM, SALES, SAM, SUPPORT, personIn } from '../support/person.ts';
import { alexInSupport, endedSession } from './ended-session.ts';
import { summariesSeenBy, webhooksOf } from './webhook-stage.ts';

const RANDOM = 'C0RANDOM003';
const { channelId: _, ...alexNowhere } = alexInSupport;

describe('the place of a summary', () => {
  let sandbox: Sandbox;
  let webhooks: ReturnType<typeof webhooksOf>;
  beforeAll(async () => {
    sandbox = await startSandbox({ paceMs: 0 });
    webhooks = webhooksOf(sandbox);
  });
  afterAll(() => sandbox.close());

  const directMessagesOf = (userId: string) =>
    sandbox.slack.snapshot(userId).channels.find(({ kind }) => kind === 'dm')?.id;
  const seenBy = (userId: string, id: string) =>
    summariesSeenBy(sandbox.slack, userId).filter((summary) => summary.id === id);

  async function end(id: string, link: Parameters<typeof webhooks.address>[0]) {
    expect(await webhooks.send(endedSession(id), { to: webhooks.address(link) })).toMatchObject({
      status: 200,
    });
    return webhooks.summaryOf(id);
  }

  it('is the channel where Watch was pressed, for everyone in it', async () => {
    const summary = await end('channel', { ...alexInSupport, channelId: RANDOM });
    expect(summary).toMatchObject({ channel: RANDOM, threadTs: undefined });
    expect(seenBy(KIM, 'channel')).toEqual([summary]);
    expect(sandbox.slack.snapshot(SAM).messages.find(({ text }) => text === summary.text)?.ephemeral).toBe(
      false,
    );
  });

  it('is the thread under the message that started it', async () => {
    const { ts: threadTs } = personIn(sandbox).existing(/stuck at checkout/);
    expect(await end('thread', { ...alexInSupport, threadTs })).toMatchObject({ channel: SUPPORT, threadTs });
  });

  it('is a direct message to the agent if there is no channel, invisible to others', async () => {
    const summary = await end('nowhere', alexNowhere);
    expect(summary.channel).toBe(directMessagesOf(ALEX));
    expect(seenBy(SAM, 'nowhere')).toEqual([]);
  });

  it('is the summary channel if one is set and there is no channel', async () => {
    const log = createLog({ level: 'silent', secrets: [] });
    const config = { ...sandbox.config, port: 0, summaryChannel: RANDOM };
    const second = await startApp(config, { log, paceMs: 0 });
    const address = (link: Parameters<typeof webhooks.address>[0]) =>
      webhooks.address(link).replace(sandbox.publicUrl, `http://127.0.0.1:${second.port}`);
    await webhooks.send(endedSession('set'), { to: address(alexNowhere) });
    expect((await webhooks.summaryOf('set')).channel).toBe(RANDOM);
    await webhooks.send(endedSession('own'), { to: address(alexInSupport) });
    expect((await webhooks.summaryOf('own')).channel).toBe(SUPPORT);
    await second.stop();
  });

  it('is a direct message saying how to invite the app if the app isn’t in the channel', async () => {
    const summary = await end('sales', { ...alexInSupport, channelId: SALES });
    expect(summary.channel).toBe(directMessagesOf(ALEX));
    expect(summary.text).toContain(`I couldn’t post this summary in <#${SALES}>.`);
    expect(summary.text).toContain('Type /invite @Co-browse there, and the next summary will arrive.');
    expect(summary.text).toContain('Visitor: Jane Cooper');
    expect(seenBy(KIM, 'sales')).toEqual([]);
  });

  it('is the channel again once that was typed there', async () => {
    await sandbox.slack.command({ as: ALEX, channel: SALES, text: '/invite @Co-browse' });
    expect((await end('invited', { ...alexInSupport, channelId: SALES })).channel).toBe(SALES);
    sandbox.slack.changeChannel(SALES, { hasApp: false });
  });

  it('is a direct message if the channel is archived, unknown or closed to the app', async () => {
    sandbox.slack.changeChannel(RANDOM, { archived: true });
    const archived = await end('archived', { ...alexInSupport, channelId: RANDOM });
    sandbox.slack.changeChannel(RANDOM, { archived: false });
    expect(archived.text).toContain('That channel is archived.');
    const unknown = await end('unknown', { ...alexInSupport, channelId: 'C0NOWHERE99' });
    expect(unknown.text).toContain('/invite @Co-browse');
    sandbox.slack.fail('chat.postMessage', 'restricted_action');
    const restricted = await end('restricted', alexInSupport);
    expect(restricted.text).toContain('Ask a workspace admin to let the app post there.');
    for (const { channel } of [archived, unknown, restricted]) expect(channel).toBe(directMessagesOf(ALEX));
  });

  it('is the channel itself if the message that started it is gone', async () => {
    const summary = await end('thread-gone', { ...alexInSupport, threadTs: '1.000001' });
    expect(summary).toMatchObject({ channel: SUPPORT, threadTs: undefined });
  });

  it('is finally the channel, however Slack fails on the way', async () => {
    sandbox.slack.fail('chat.postMessage', { retryAfter: 1 });
    expect(await end('limited', alexInSupport)).toMatchObject({ channel: SUPPORT });
    sandbox.slack.fail('chat.postMessage', { status: 503 });
    expect(await end('unavailable', alexInSupport)).toMatchObject({ channel: SUPPORT });
    sandbox.slack.fail('chat.postMessage', 'internal_error');
    expect(await end('internal', alexInSupport)).toMatchObject({ channel: SUPPORT });
    // Whether Slack accepted a post whose answer was lost can't be known: it may arrive twice, but never not at all.
    sandbox.slack.fail('chat.postMessage', 'lose-answer');
    expect(await end('lost-answer', alexInSupport)).toMatchObject({ channel: SUPPORT });
    for (const id of ['limited', 'unavailable', 'internal']) expect(seenBy(ALEX, id)).toHaveLength(1);
  });

  it('is the channel, with the visitor’s id, if the co-browsing service is gone', async () => {
    await sandbox.service.close();
    expect((await end('no-service', alexInSupport)).text).toContain('Visitor: jane4821');
  });
});
