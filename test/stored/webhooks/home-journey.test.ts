import { Webhook } from 'standardwebhooks';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { startSandbox } from '../../../sandbox/sandbox.ts';
import { sql } from '../../../src/database/database.ts';
import { WEBHOOK_EVENTS } from '../../../src/webhooks/bodies.ts';
import { expectSound, keptLog } from '../../support/checked-sandbox.ts';
import { engines, openUntilTestEnds } from '../../support/engines.ts';
import { ALEX, SUPPORT, personIn, readable } from '../../support/person.ts';
import { atWebhooks } from '../../webhooks/home-stage.ts';

/** An admin at the webhooks in Home, and the tables beside them. */
async function open(storeUrl: string) {
  const sandbox = await startSandbox({ storeUrl, log: keptLog().log, paceMs: 0 });
  onTestFinished(() => sandbox.close());
  const database = await openUntilTestEnds(storeUrl);
  const webhooks = atWebhooks(sandbox);
  const home = async () => readable(await webhooks.ada.open());
  return { ...sandbox, sandbox, database, webhooks, home, alex: personIn(sandbox) };
}

describe.each(engines)('webhooks of a session, in $engine', ({ newUrl }) => {
  it('arrive verified and as documented; those set aside are sent again or discarded', async () => {
    const { sandbox, receiver, service, database, webhooks, home, alex } = await open(await newUrl());
    const typed = { address: receiver.address, events: WEBHOOK_EVENTS, withNames: true };
    const secret = await webhooks.add(typed);
    receiver.trust(secret);

    const offer = await alex.type('/cobrowse watch jane4821');
    const link = (await alex.watch(offer)).headers.get('location') ?? '';
    await alex.message(({ text }) => text.includes('becomes the summary'));
    const session = await service.openWatchLink(link);
    await service.endSession(session.id);
    const summary = await alex.message(({ text }) => text.includes('Co-browsing session ended'));
    /** How many deliveries the app has recorded as posted. */
    async function posted(kind: string): Promise<number> {
      const isPosted =
        kind === 'webhook'
          ? sql`SELECT id FROM webhook_messages WHERE state = 'posted'`
          : sql`SELECT id FROM deliveries WHERE kind = ${kind} AND state = 'posted'`;
      return (await database.read(isPosted, z.object({ id: z.string() }))).length;
    }
    await expect.poll(() => posted('summary')).toBe(1);
    await alex.chooseOutcome(summary, /Solved/);

    await expect.poll(() => posted('webhook')).toBe(3);
    expect(receiver.arrived()).toHaveLength(3);
    const inOrder = receiver.arrived().toReversed();
    for (const { body, headers } of inOrder)
      expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
    const [opened, ended, changed] = inOrder.map(({ body }): unknown => JSON.parse(body));
    const common = {
      customer: { id: 'jane4821', name: 'Jane Cooper' },
      user_id: ALEX,
      channel_id: SUPPORT,
      card_url: null,
    };
    expect(opened).toMatchObject({ type: 'watch_link.opened', data: common });
    const atEnd = {
      ...common,
      session_id: session.id,
      card_url: expect.stringMatching(`/archives/${SUPPORT}/p`),
    };
    expect(ended).toMatchObject({ type: 'session.ended', data: { ...atEnd, outcome: null } });
    const bySomebody = { ...atEnd, outcome: 'solved', previous_outcome: null, outcome_by: ALEX };
    expect(changed).toMatchObject({ type: 'session.outcome_changed', data: bySomebody });
    expect(new Set(inOrder.map(({ id }) => id)).size).toBe(3);
    expect(JSON.stringify(inOrder)).not.toContain(new URL(link).pathname);

    // As after a day in which the address took only other events.
    const setAside = sql`UPDATE webhook_messages SET state = 'failed', reason = 'http_500', settled_at = ${sandbox.now()}`;
    await database.write(sql`${setAside} WHERE id <> ${inOrder[0]?.id ?? ''}`);
    expect(await home()).toContain('2 events set aside');
    const list = await webhooks.pressFor(/^Set aside/, /newest first/);
    expect(readable(list.blocks)).toMatch(/Session ended · .* · http_500/);
    const ada = webhooks.person;
    await ada.pressInModal(list, /^Discard event 1/);
    const rest = await webhooks.saying(/Discarded\. The event won’t be sent\./);
    expect(readable(rest.blocks)).not.toContain('Retry event 2');
    await database.write(sql`UPDATE webhook_addresses SET off_at = 1`);
    await ada.pressInModal(rest, /^Retry event 1/);
    await webhooks.saying(/sent as soon as its address accepts events\./);
    await webhooks.pressFor(/^Retry/, /Switched .* on again\./);
    await expect.poll(() => receiver.arrived().length).toBe(4);
    const [again] = receiver.arrived();
    expect(inOrder.slice(1).map(({ id, body }) => ({ id, body }))).toContainEqual({
      id: again?.id,
      body: again?.body,
    });
    expectSound(sandbox);
  });

  it('that failed for an hour are tried again once an admin presses Retry', async () => {
    const { receiver, database, webhooks, home, alex, now } = await open(await newUrl());
    // So that nothing but Retry makes the app look again.
    receiver.answerWith(500, { 'retry-after': '3600' });
    receiver.trust(await webhooks.add({ address: receiver.address, events: ['watch_link.opened'] }));
    await alex.watch(await alex.type('/cobrowse watch jane4821'));
    // The answer is written down after the message has arrived.
    await expect.poll(home).toContain('Failing, so the app tries again.');

    const [anHourAgo, inADay] = [-61, 24 * 60].map((minutes) => now() + minutes * 60_000);
    await database.write(
      sql`UPDATE webhook_addresses SET failing_since = ${anHourAgo ?? 0}, held_until = ${inADay ?? 0}`,
    );
    expect(await home()).toContain('Paused: it doesn’t accept anything.');
    receiver.answerWith(200);
    await webhooks.pressFor(/^Retry/, /again now/);
    await expect.poll(() => receiver.arrived().length).toBe(2);
    const [later, earlier] = receiver.arrived();
    expect(later).toMatchObject({ id: earlier?.id, body: earlier?.body, answered: 200, isVerified: true });
    await expect.poll(home).toContain(': Working');
  });
});
