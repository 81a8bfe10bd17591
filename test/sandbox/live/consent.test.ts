import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { StandInService } from '../../../sandbox/service/service.ts';
import { agent as linkAgent, ask, listener, standIn } from '../service/stand-in.ts';
import { snapshot, visitorPage, watching } from './sides.ts';

const consent = z.object({ session_authorized: z.boolean(), went_live: z.boolean() });
const withSessions = z.object({ sessions: z.array(consent.extend({ ended_at: z.string().nullable() })) });
const lookedUp = z.union([z.object({ visitor: withSessions }), z.object({ agent: withSessions })]);

/** The latest session's flags, as the visitor's own object and the agent's say them. */
async function flags(service: StandInService) {
  const said = await Promise.all(
    ['GET /visitors/jane4821', `GET /agents/lookup?external_id=${linkAgent.id}`].map(async (request) =>
      lookedUp.parse(await (await ask(service, request)).json()),
    ),
  );
  return said.map((one) => ('visitor' in one ? one.visitor : one.agent).sessions[0]);
}

const both = (session_authorized: boolean, went_live: boolean, ended_at: unknown = null) => {
  const one = { session_authorized, went_live, ended_at };
  return [one, one];
};

/** A link whose page is open, and the visitor's page that asks. */
async function asked(options: Parameters<typeof standIn>[0] = {}) {
  const hook = await listener();
  const service = await standIn(options);
  const watch = await watching(service, 'jane4821', { webhook_url: hook.url });
  const agent = await watch.page();
  const visitor = await visitorPage(service, 'jane4821');
  const session = service.sessions()[0]?.id ?? '';
  await visitor.until(({ state }) => JSON.stringify(state ?? '').includes(session));
  return {
    service,
    watch,
    agent,
    visitor,
    answer: (allow: boolean) => visitor.send({ t: 'answer', session, allow }),
    webhook: async () => {
      await expect.poll(() => hook.bodies).toHaveLength(1);
      return consent.parse(JSON.parse((hook.bodies[0] ?? '').replace('POST /end ', '')));
    },
  };
}

const ended = expect.any(String);

describe('what a session says of the visitor’s answer', () => {
  it('is neither authorized nor live while they are asked, nor after they declined', async () => {
    const { service, agent, answer, webhook } = await asked();
    expect(await flags(service)).toEqual(both(false, false));
    answer(false);
    expect(await agent.until(({ t }) => t === 'ended')).toMatchObject({ by: 'declined' });
    expect(await flags(service)).toEqual(both(false, false, ended));
    expect(await webhook()).toEqual({ session_authorized: false, went_live: false });
  });

  it('is neither after an end without an answer', async () => {
    const { service, agent, webhook } = await asked();
    agent.send({ t: 'end' });
    expect(await webhook()).toEqual({ session_authorized: false, went_live: false });
    expect(await flags(service)).toEqual(both(false, false, ended));
  });

  it('is authorized once they agree, and live once the agent is shown the page', async () => {
    const { service, agent, visitor, answer, webhook } = await asked();
    answer(true);
    await visitor.until(({ t }) => t === 'snapshot');
    expect(await flags(service)).toEqual(both(true, false));
    visitor.send({ t: 'events', seq: 1, events: snapshot() });
    await agent.until(({ t }) => t === 'events');
    expect(await flags(service)).toEqual(both(true, true));
    agent.send({ t: 'end' });
    expect(await webhook()).toEqual({ session_authorized: true, went_live: true });
  });

  it('isn’t live while no page of the agent’s is there to show it', async () => {
    const { service, watch, agent, visitor, answer } = await asked({ pageClosedMs: 60_000 });
    const told = visitor.next(({ t }) => t === 'state');
    agent.leave();
    await told;
    answer(true);
    await visitor.until(({ t }) => t === 'snapshot');
    visitor.send({ t: 'events', seq: 1, events: snapshot() });
    visitor.send({ t: 'beat', hidden: false });
    await visitor.until(({ t, got }) => t === 'beat' && got === 1);
    expect(await flags(service)).toEqual(both(true, false));
    const again = await watch.page();
    await visitor.until(({ t }) => t === 'snapshot');
    visitor.send({ t: 'events', seq: 2, events: snapshot() });
    await again.until(({ t }) => t === 'events');
    expect(await flags(service)).toEqual(both(true, true));
  });
});
