import { describe, expect, it } from 'vitest';
import { listener, standIn, watchLink } from './stand-in.ts';

async function endOneSession(statuses: readonly number[], options: { webhookTimeoutMs?: number } = {}) {
  const hook = await listener(...statuses);
  const service = await standIn(options);
  const session = await service.openWatchLink(
    (await watchLink(service, 'jane4821', { webhook_url: hook.url })).url,
  );
  const ended = await service.endSession(session.id);
  const statusesSeen = () => service.webhooks().map((attempt) => attempt.status);
  return { hook, service, ended, statusesSeen };
}

describe('the webhook at the end of a session', () => {
  it('posts the bare Session once', async () => {
    const { hook, service, ended } = await endOneSession([204]);
    await expect.poll(() => service.webhooks()).toHaveLength(1);
    expect(hook.bodies).toEqual([`POST /end ${JSON.stringify(ended)}`]);
    expect(service.webhooks()).toEqual([{ url: hook.url, status: 204, body: ended }]);
    expect(ended).toMatchObject({ visitor_id: 'jane4821', ended_at: expect.any(String), _type: 'session' });
  });

  it('tries again until it is accepted', async () => {
    const { hook, statusesSeen } = await endOneSession([500, 404, 200]);
    await expect.poll(() => statusesSeen()).toEqual([500, 404, 200]);
    expect(new Set(hook.bodies).size).toBe(1);
  });

  it('gives up after three tries', async () => {
    const { hook, statusesSeen, service } = await endOneSession([500, 500, 500]);
    await expect.poll(() => statusesSeen()).toEqual([500, 500, 500]);
    await service.close();
    expect(hook.bodies).toHaveLength(3);
  });

  it('does not follow a redirect', async () => {
    const { hook, statusesSeen } = await endOneSession([302, 200]);
    await expect.poll(() => statusesSeen()).toEqual([302, 200]);
    expect(hook.bodies.every((body) => body.startsWith('POST /end '))).toBe(true);
  });

  it('does not wait longer than its time limit', async () => {
    const { statusesSeen } = await endOneSession([0, 200], { webhookTimeoutMs: 1_500 });
    await expect.poll(() => statusesSeen()).toEqual([null, 200]);
  });

  it('follows every way a session ends', async () => {
    const hook = await listener();
    const service = await standIn({ idleMs: 20 });
    const { url } = await watchLink(service, 'jane4821', { webhook_url: hook.url });
    await service.openWatchLink(url);
    await expect.poll(() => hook.bodies).toHaveLength(1);
  });

  it('is left out if no address was given', async () => {
    const hook = await listener();
    const service = await standIn();
    const silent = await service.openWatchLink((await watchLink(service, 'lm3')).url);
    await service.endSession(silent.id);
    const loud = await service.openWatchLink(
      (await watchLink(service, 'lm3', { webhook_url: hook.url })).url,
    );
    await service.endSession(loud.id);
    await expect.poll(() => service.webhooks()).toHaveLength(1);
    expect(service.webhooks()).toMatchObject([{ body: { id: loud.id } }]);
  });
});
