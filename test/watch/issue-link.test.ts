import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { startSandbox } from '../../sandbox/sandbox.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { IssuedLink } from '../../src/messages/link-request.ts';
import { createTickets } from '../../src/tickets.ts';
import { ALEX, KIM, SAM, SUPPORT } from '../support/person.ts';
import { answerJson, appBetween, watchAddress } from './app-between.ts';
import { formIn, submit } from './opening.ts';

const LinkBody = z.strictObject({
  agent: z.strictObject({ id: z.string(), name: z.string() }),
  webhook_url: z.string(),
  metadata: z.record(z.string(), z.string()),
});

async function start(): Promise<Sandbox> {
  const sandbox = await startSandbox({ watchProof: 'ticket' });
  onTestFinished(() => sandbox.close());
  return sandbox;
}

const press = (sandbox: Sandbox, userId: string, visitorId: string = 'jane4821') =>
  fetch(watchAddress(sandbox.publicUrl, sandbox.config, { userId, visitorId }), { redirect: 'manual' });

const bodies = ({ service }: Sandbox) =>
  service.requests.filter(({ method }) => method === 'POST').map(({ body }) => LinkBody.parse(body));

const inAcme = (userId: string) => `slack-T0ACME00000-${userId}`;

describe('the agent that a watch link is asked for', () => {
  it.each([
    ['the one with the email of the person who pressed', ALEX, { id: 'agent_alex', name: 'Alex Rivera' }, 1],
    ['one of their own where the service does not know them', SAM, { id: inAcme(SAM), name: 'Sam Lee' }, 1],
    [
      'that, without a look-up, where their profile has no email',
      KIM,
      { id: inAcme(KIM), name: 'Kim Novak' },
      0,
    ],
  ])('is %s', async (_, userId, agent, lookups) => {
    const sandbox = await start();
    await press(sandbox, userId);
    expect(bodies(sandbox).map((body) => body.agent)).toEqual([agent]);
    const asked = sandbox.service.requests.filter(({ path }) => path.includes('/agents/lookup'));
    expect(asked).toHaveLength(lookups);
  });
});

describe('what else is sent to the service', () => {
  it('is where to post the session’s end, and ids', async () => {
    const sandbox = await start();
    const { publicUrl, config } = sandbox;
    await fetch(watchAddress(publicUrl, config, { threadTs: '1700000000.000100' }), { redirect: 'manual' });
    const [body] = bodies(sandbox);
    const prefix = `${publicUrl}/webhooks/session-end/`;
    expect(body?.webhook_url.startsWith(prefix)).toBe(true);
    const linkId = body?.metadata['slack_link'];
    expect(linkId).toMatch(/^[0-9a-f-]{36}$/);
    expect(body?.metadata).toEqual({
      slack_link: linkId,
      slack_workspace: 'T0ACME00000',
      slack_user: ALEX,
      slack_channel: SUPPORT,
    });
    const tickets = createTickets(config.secretKeys)('session-end', IssuedLink);
    expect(tickets.read(body?.webhook_url.slice(prefix.length) ?? '')).toMatchObject({
      state: 'good',
      content: {
        workspaceId: 'T0ACME00000',
        userId: ALEX,
        visitorId: 'jane4821',
        channelId: SUPPORT,
        access: 'full',
        threadTs: '1700000000.000100',
        linkId,
      },
    });
  });

  it('names no channel where there was none', async () => {
    const app = await appBetween({});
    await app.press({ channelId: undefined });
    expect(Object.keys(LinkBody.parse(app.bodies[0]).metadata)).toEqual([
      'slack_link',
      'slack_workspace',
      'slack_user',
    ]);
  });
});

describe('a first look-up of the agent that fails', () => {
  it('opens nobody’s screen under another name, and says how to try again', async () => {
    let isBroken = true;
    const app = await appBetween({
      lookup(__, response) {
        if (isBroken) response.writeHead(500).end('no');
        else answerJson(response, { agent: { id: 'agent_alex', name: 'Alex Rivera' } });
      },
    });
    const answer = await app.press();
    expect(answer.status).toBe(503);
    const page = await answer.text();
    expect(page).toContain('which agent you are');
    expect(app.bodies).toEqual([]);
    expect(app.lines.join('')).toContain('could not be looked up');
    // The button of the page, while the service still fails and after that.
    const again = await submit(formIn(page, answer.url));
    expect(again.status).toBe(503);
    isBroken = false;
    const form = formIn(await again.text(), again.url);
    expect((await submit(form)).status).toBe(303);
    expect(app.bodies.map((sent) => LinkBody.parse(sent).agent.id)).toEqual(['agent_alex']);
    expect((await submit(form)).status).toBe(410);
  });
});
