import { expect, it } from 'vitest';
import { sessionEndOf } from '../../src/sessions/session-ends.ts';
import { WEBHOOK_EVENTS } from '../../src/webhooks/bodies.ts';
import { createWebhookQueue } from '../../src/webhooks/queue.ts';
import { sessionOf } from '../outbox/stage.ts';
import { alexInSupport } from '../sessions/ended-session.ts';
import { anAddress } from './an-address.ts';

const AT = Date.UTC(2026, 4, 4);

it('a webhook keeps its id in every version of the app: receivers know by it what they have already', async () => {
  const queue = createWebhookQueue(
    {
      database: { read: async () => [] },
      installedAs: async () => ({
        workspaceId: anAddress.workspaceId,
        botId: undefined,
        botUserId: undefined,
      }),
    },
    { list: async () => [{ ...anAddress, events: [...WEBHOOK_EVENTS] }] },
    () => undefined,
  );
  const link = { ...alexInSupport, linkId: 'link-1' };
  const end = sessionEndOf('end-1', link, sessionOf('session-1'), { receivedAt: AT, recovered: false });
  const queued = [
    await queue.opened({ link, agentId: 'agent_alex', issuedAt: AT }),
    await queue.ended(end),
    await queue.outcomeChanged(end, { outcome: 'solved', by: 'U1', at: AT }),
  ];
  expect(queued.map(({ statements }) => /msg_[0-9a-f]{32}/.exec(JSON.stringify(statements))?.[0])).toEqual([
    'msg_9e2c5bc446b633e354edbcd343a49de7',
    'msg_202b4a622e80d2bdd0eb0350aabdb4c2',
    'msg_417f5c7e5131142548f68d8f730fdb52',
  ]);
});
