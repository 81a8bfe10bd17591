import { beforeAll, describe, expect, it } from 'vitest';
import { startApp } from '../../src/app.ts';
import { createLog } from '../../src/logging/log.ts';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { ALEX, KIM, SALES, SAM, SUPPORT, personIn } from '../support/person.ts';
import { RANDOM } from '../subscriptions/stage.ts';
import { alexInSupport, endedSession } from './ended-session.ts';
import { summariesSeenBy, webhooksOf } from './webhook-stage.ts';

const { channelId: _, ...alexNowhere } = alexInSupport;

describe('the place of a summary', () => {
  const { sandbox } = checkedSandbox();
  let webhooks: ReturnType<typeof webhooksOf>;
  beforeAll(() => void (webhooks = webhooksOf(sandbox())));

  const directMessagesOf = (userId: string) =>
    sandbox()
      .slack.snapshot(userId)
      .channels.find(({ kind }) => kind === 'dm')?.id;
  const seenBy = (userId: string, id: string) =>
    summariesSeenBy(sandbox().slack, userId).filter((summary) => summary.id === id);

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
  });

  it('is the thread under the message that started it, or the channel if that is gone', async () => {
    const { ts: threadTs } = personIn(sandbox()).existing(/stuck at checkout/);
    expect(await end('thread', { ...alexInSupport, threadTs })).toMatchObject({ channel: SUPPORT, threadTs });
    const gone = await end('thread-gone', { ...alexInSupport, threadTs: '1.000001' });
    expect(gone).toMatchObject({ channel: SUPPORT, threadTs: undefined });
  });

  it('is a direct message to the agent if there is no channel, invisible to others', async () => {
    const summary = await end('nowhere', alexNowhere);
    expect(summary.channel).toBe(directMessagesOf(ALEX));
    expect(seenBy(SAM, 'nowhere')).toEqual([]);
  });

  it('is the summary channel if one is set and there is no channel', async () => {
    const log = createLog({ level: 'silent', secrets: [] });
    const config = { ...sandbox().config, port: 0, summaryChannel: RANDOM };
    const second = await startApp(config, { log, paceMs: 0 });
    for (const [id, link, channel] of [
      ['set', alexNowhere, RANDOM] as const,
      ['own', alexInSupport, SUPPORT] as const,
    ]) {
      const to = webhooks.address(link).replace(sandbox().publicUrl, `http://127.0.0.1:${second.port}`);
      await webhooks.send(endedSession(id), { to });
      expect((await webhooks.summaryOf(id)).channel).toBe(channel);
    }
    await second.stop();
  });

  it('is a direct message saying how to invite the app if it isn’t in the channel, until that was typed there', async () => {
    const summary = await end('sales', { ...alexInSupport, channelId: SALES });
    expect(summary.channel).toBe(directMessagesOf(ALEX));
    expect(summary.text).toContain('Type /invite @Co-browse there.');
    expect(seenBy(KIM, 'sales')).toEqual([]);
    await sandbox().slack.command({ as: ALEX, channel: SALES, text: '/invite @Co-browse' });
    expect((await end('invited', { ...alexInSupport, channelId: SALES })).channel).toBe(SALES);
  });

  it('is the channel, with the visitor’s id, if the co-browsing service is gone', async () => {
    await sandbox().service.close();
    expect((await end('no-service', alexInSupport)).text).toContain('jane4821 with ');
  });
});
