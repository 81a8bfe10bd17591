import { describe, expect, it } from 'vitest';
import type { Misbehavior } from '../../../sandbox/service/misbehavior.ts';
import { listener, standIn, watchLink } from './stand-in.ts';

/** A service that was told to misbehave, and what ends a session of it. */
async function start(statuses: readonly number[], misbehavior: Misbehavior = {}) {
  const hook = await listener(...statuses);
  const service = await standIn({ misbehavior });
  return {
    hook,
    service,
    end: async () => {
      const link = await watchLink(service, 'jane4821', { webhook_url: hook.url });
      return service.endSession((await service.openWatchLink(link.url)).id);
    },
  };
}

describe('the webhook at the end of a session', () => {
  it('is posted again, the same, until it is accepted', async () => {
    const { hook, service, end } = await start([500, 404, 204]);
    const ended = await end();
    await expect.poll(() => service.webhooks().map(({ status }) => status)).toEqual([500, 404, 204]);
    expect(new Set(hook.bodies)).toEqual(new Set([`POST /end ${JSON.stringify(ended)}`]));
    expect(service.webhooks().at(-1)).toEqual({ url: hook.url, status: 204, body: ended });
  });

  it('is not sent, or sent twice, where told so', async () => {
    const { hook, service, end } = await start([], { webhooks: { drop: true } });
    await end();
    service.misbehave({ webhooks: { copies: 2 } });
    const told = await end();
    const sent = { body: { id: told.id } };
    await expect.poll(() => service.webhooks()).toMatchObject([sent, sent]);
    expect(new Set(hook.bodies).size).toBe(1);
  });
});
