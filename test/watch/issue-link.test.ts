import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { IssuedLink } from '../../src/messages/link-request.ts';
import { createTickets } from '../../src/http/tickets.ts';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { open, watchAddress } from './opening.ts';
import { order } from './stage.ts';

const LinkBody = z.strictObject({
  agent: z.strictObject({ id: z.string(), name: z.string() }),
  webhook_url: z.string(),
  metadata: z.record(z.string(), z.string()),
});

describe('what a watch link is asked for with', () => {
  const { sandbox } = checkedSandbox({ watchProof: 'ticket' });

  it('is the agent, where to post the session’s end, and ids', async () => {
    const { publicUrl, config, service } = sandbox();
    await open(watchAddress(sandbox(), { threadTs: '1700000000.000100' }));
    const sent = service.requests.find(({ method }) => method === 'POST')?.body;
    const { agent, webhook_url: webhook, metadata } = LinkBody.parse(sent);
    expect(agent).toEqual({ id: 'agent_alex', name: 'Alex Rivera' });
    const linkId = metadata['slack_link'];
    expect(linkId).toMatch(/^[0-9a-f-]{36}$/);
    expect(metadata).toEqual({
      slack_link: linkId,
      slack_workspace: order.workspaceId,
      slack_user: order.userId,
      slack_channel: order.channelId,
    });
    const prefix = `${publicUrl}/webhooks/session-end/`;
    expect(webhook.startsWith(prefix)).toBe(true);
    const tickets = createTickets(config.secretKeys)('session-end', IssuedLink);
    expect(tickets.read(webhook.slice(prefix.length))).toMatchObject({
      state: 'good',
      content: { ...order, threadTs: '1700000000.000100', linkId },
    });
  });
});
