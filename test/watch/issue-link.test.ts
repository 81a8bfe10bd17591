import type { ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { createLog } from '../../src/log.ts';
import { startSandbox } from '../../sandbox/sandbox.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { IssuedLink } from '../../src/messages/link-request.ts';
import { createTickets } from '../../src/tickets.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { ALEX, KIM, SAM, SUPPORT, personIn } from '../support/person.ts';
import { answerJson, appBetween, watchAddress } from './app-between.ts';
import { formIn, submit } from './opening.ts';

const LinkBody = z.strictObject({
  agent: z.strictObject({ id: z.string(), name: z.string() }),
  webhook_url: z.string(),
  metadata: z.record(z.string(), z.string()),
});

async function start(options: Parameters<typeof startSandbox>[0] = {}): Promise<Sandbox> {
  const sandbox = await startSandbox({ watchProof: 'ticket', ...options });
  onTestFinished(() => sandbox.close());
  return sandbox;
}

const press = (sandbox: Sandbox, userId: string, visitorId: string = 'jane4821') =>
  fetch(watchAddress(sandbox.publicUrl, sandbox.config, { userId, visitorId }), { redirect: 'manual' });

const bodies = ({ service }: Sandbox) =>
  service.requests.filter(({ method }) => method === 'POST').map(({ body }) => LinkBody.parse(body));

const lookups = ({ service }: Sandbox) =>
  service.requests.filter(({ path }) => path.includes('/agents/lookup'));

describe('the agent that a watch link is asked for', () => {
  it('is the one with the email of the person who pressed', async () => {
    const sandbox = await start();
    await press(sandbox, ALEX);
    expect(bodies(sandbox)[0]?.agent).toEqual({ id: 'agent_alex', name: 'Alex Rivera' });
    expect(lookups(sandbox)[0]?.path).toBe('/v1.3/agents/lookup?email=alex%40acme.com');
  });

  it('is derived from workspace and person where the service does not know them', async () => {
    const sandbox = await start();
    await press(sandbox, SAM);
    expect(bodies(sandbox)[0]?.agent).toEqual({ id: `slack-T0ACME00000-${SAM}`, name: 'Sam Lee' });
  });

  it('is derived, without a look-up, where the profile has no email', async () => {
    const sandbox = await start();
    await press(sandbox, KIM);
    expect(bodies(sandbox)[0]?.agent).toEqual({ id: `slack-T0ACME00000-${KIM}`, name: 'Kim Novak' });
    expect(lookups(sandbox)).toEqual([]);
  });

  it('is the same at every press and another for every person', async () => {
    const sandbox = await start();
    // Each watches somebody else each time: before a second link to one screen there is a question.
    const presses = [
      [ALEX, 'jane4821'],
      [SAM, 'noah'],
      [KIM, 'priya55'],
      [ALEX, 'lm3'],
      [SAM, 'amara7'],
      [KIM, 'janepark'],
    ] as const;
    for (const [userId, visitorId] of presses) await press(sandbox, userId, visitorId);
    const ids = bodies(sandbox).map(({ agent }) => agent.id);
    expect(ids.slice(0, 3)).toEqual(ids.slice(3));
    expect(new Set(ids).size).toBe(3);
    expect(lookups(sandbox)).toHaveLength(2);
  });

  it('is another one in another workspace', async () => {
    const sandbox = await start();
    const { publicUrl, config } = sandbox;
    for (const workspaceId of ['T0ACME00000', 'T0OTHER0000']) {
      await fetch(watchAddress(publicUrl, config, { userId: SAM, workspaceId }), { redirect: 'manual' });
    }
    const [here, elsewhere] = bodies(sandbox).map(({ agent }) => agent.id);
    expect(here).not.toBe(elsewhere);
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

  it('is nothing twice: each link has a order of its own', async () => {
    const sandbox = await start();
    await press(sandbox, ALEX);
    await press(sandbox, ALEX, 'noah');
    const [first, second] = bodies(sandbox);
    expect(first?.metadata['slack_link']).not.toBe(second?.metadata['slack_link']);
    expect(first?.webhook_url).not.toBe(second?.webhook_url);
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
  const broken: readonly (readonly [string, number, string, number])[] = [
    ['500', 500, 'no', 503],
    ['200 with nonsense', 200, '<html>', 502],
    ['200 without an id', 200, '{"status":"ok","agent":{"name":"Alex"}}', 502],
  ];

  it.each(broken)(
    'by %s opens nobody’s screen under another name, and says how to try again',
    async (_, status, body, shown) => {
      let isBroken = true;
      const app = await appBetween({
        lookup(__, response) {
          if (isBroken) response.writeHead(status).end(body);
          else answerJson(response, { agent: { id: 'agent_alex', name: 'Alex Rivera' } });
        },
      });
      const answer = await app.press();
      expect(answer.status).toBe(shown);
      const page = await answer.text();
      expect(page).toContain('which agent you are');
      expect(app.bodies).toEqual([]);
      expect(app.lines.join('')).toContain('could not be looked up');
      // The button of the page, while the service still fails and after that.
      const again = await submit(formIn(page, answer.url));
      expect(again.status).toBe(shown);
      isBroken = false;
      const form = formIn(await again.text(), again.url);
      expect((await submit(form)).status).toBe(303);
      expect(app.bodies.map((sent) => LinkBody.parse(sent).agent.id)).toEqual(['agent_alex']);
      expect((await submit(form)).status).toBe(410);
    },
  );

  it('because the service refuses the key says just that', async () => {
    const app = await appBetween({
      lookup: (_, response) => response.writeHead(401).end('{"error":"invalid_api_key"}'),
    });
    expect(await (await app.press()).text()).toContain('The service refused the app');
    expect(app.bodies).toEqual([]);
  });

  it('to come back in time says so, and the next press is the agent that it named meanwhile', async () => {
    const held: ServerResponse[] = [];
    const app = await appBetween({ patienceMs: 30, lookup: (_, response) => void held.push(response) });
    const answer = await app.press();
    expect(answer.status).toBe(504);
    expect(await answer.text()).toContain('which agent you are');
    await expect.poll(() => held.length).toBeGreaterThan(0);
    for (const response of held) answerJson(response, { agent: { id: 'agent_alex', name: 'Alex Rivera' } });
    await expect.poll(async () => (await app.press()).status).toBe(302);
    expect(LinkBody.parse(app.bodies[0]).agent.id).toBe('agent_alex');
    expect(held).toHaveLength(1);
  });

  it('leaves no name empty, since the service wants one', async () => {
    const agent = { id: 9, name: ' ', agent_nickname: '' };
    const app = await appBetween({ lookup: (_, response) => answerJson(response, { agent }) });
    await app.press();
    expect(LinkBody.parse(app.bodies[0]).agent).toEqual({ id: '9', name: 'alex@acme.com' });
  });
});

describe('who somebody is to the service', () => {
  it('is the same after a restart, while the service answers no look-up at all', async () => {
    const storeUrl = `sqlite:${await temporaryFolder()}/store.db`;
    const first = await appBetween({ storeUrl });
    await first.press();
    await first.stop();
    const second = await appBetween({ storeUrl, lookup: (_, response) => response.writeHead(500).end() });
    expect((await second.press({ visitorId: 'noah' })).status).toBe(302);
    expect(LinkBody.parse(second.bodies[0]).agent).toEqual({ id: 'agent_alex', name: 'Alex Rivera' });
    expect(second.service.requests.filter((request) => request.includes('lookup'))).toEqual([]);
  });

  it('is known with a history of thirty megabytes behind them', async () => {
    const session = JSON.stringify({ id: 's', notes: 'x'.repeat(900) });
    const sessions = Array.from({ length: 33_000 }, () => session).join(',');
    const app = await appBetween({
      lookup: (_, response) =>
        response.end(`{"agent":{"id":"agent_alex","name":"Alex Rivera","sessions":[${sessions}]}}`),
    });
    expect((await app.press()).status).toBe(302);
    expect(LinkBody.parse(app.bodies[0]).agent.id).toBe('agent_alex');
  });
});

describe('the log of a press', () => {
  it('says who was given a link to whom, and has neither the link nor the ticket', async () => {
    const lines: string[] = [];
    const destination = { write: (line: string) => void lines.push(line) };
    const sandbox = await start({ log: createLog({ level: 'trace', secrets: [], destination }) });
    const alex = personIn(sandbox);
    const address = alex.button(await alex.type('/cobrowse watch jane4821'), /^Watch/).url ?? '';
    const answer = await fetch(address, { redirect: 'manual' });
    const log = lines.join('');
    expect(log).toContain('watch link issued');
    expect(log).toContain('"visitorId":"jane4821"');
    expect(log).toContain(`"userId":"${ALEX}"`);
    const secrets = [
      address,
      answer.headers.get('location') ?? '',
      ...bodies(sandbox).map((body) => body.webhook_url),
    ];
    for (const secret of secrets) {
      const last = secret.slice(secret.lastIndexOf('/') + 1);
      expect(last.length).toBeGreaterThan(16);
      expect(log).not.toContain(last);
    }
  });
});
