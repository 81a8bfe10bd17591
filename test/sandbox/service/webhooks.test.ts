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

  it('follows every way a session ends', async () => {
    const hook = await listener();
    const service = await standIn({ idleMs: 20 });
    const { url } = await watchLink(service, 'jane4821', { webhook_url: hook.url });
    await service.openWatchLink(url);
    await expect.poll(() => hook.bodies).toHaveLength(1);
  });
});
