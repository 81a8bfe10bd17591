import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { listener, standIn } from '../service/stand-in.ts';
import { snapshot, stateOf, visitorPage, watching } from './sides.ts';

const Flags = z.object({ session_authorized: z.boolean(), went_live: z.boolean() });
const said = (session_authorized: boolean, went_live: boolean) => ({ session_authorized, went_live });

/** A link whose page is open, and the visitor's page that asks. */
async function asked(options: Parameters<typeof standIn>[0] = {}) {
  const hook = await listener();
  const service = await standIn(options);
  const watch = await watching(service, 'jane4821', { webhook_url: hook.url });
  const agent = await watch.page();
  const visitor = await visitorPage(service, 'jane4821');
  const session = service.sessions()[0]?.id ?? '';
  await visitor.until(stateOf(session));
  return {
    watch,
    agent,
    visitor,
    flags: () => service.sessions()[0],
    answer: (allow: boolean) => visitor.send({ t: 'answer', session, allow }),
    webhook: async () => {
      await expect.poll(() => hook.bodies).toHaveLength(1);
      return Flags.parse(JSON.parse((hook.bodies[0] ?? '').replace('POST /end ', '')));
    },
  };
}

describe('what a session says of the visitor’s answer', () => {
  it('is authorized once they agree, and live once the agent is shown the page', async () => {
    const { agent, visitor, flags, answer, webhook } = await asked();
    answer(true);
    await visitor.until(({ t }) => t === 'snapshot');
    expect(flags()).toMatchObject(said(true, false));
    visitor.send({ t: 'events', seq: 1, events: snapshot() });
    await agent.until(({ t }) => t === 'events');
    expect(flags()).toMatchObject(said(true, true));
    agent.send({ t: 'end' });
    expect(await webhook()).toEqual(said(true, true));
  });

  it('isn’t live while no page of the agent’s is there to show it', async () => {
    const { watch, agent, visitor, flags, answer } = await asked({ pageClosedMs: 60_000 });
    const told = visitor.next(({ t }) => t === 'state');
    agent.leave();
    await told;
    answer(true);
    await visitor.until(({ t }) => t === 'snapshot');
    visitor.send({ t: 'events', seq: 1, events: snapshot() });
    visitor.send({ t: 'beat', hidden: false });
    await visitor.until(({ t, got }) => t === 'beat' && got === 1);
    expect(flags()).toMatchObject(said(true, false));
    const again = await watch.page();
    await visitor.until(({ t }) => t === 'snapshot');
    visitor.send({ t: 'events', seq: 2, events: snapshot() });
    await again.until(({ t }) => t === 'events');
    expect(flags()).toMatchObject(said(true, true));
  });
});
