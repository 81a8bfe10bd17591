import { describe, expect, it, vi } from 'vitest';
import { sql } from '../../../src/database/database.ts';
import type { WebhookReply } from '../../../src/webhooks/send.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../outbox/stage.ts';
import { alexInSupport } from '../../sessions/ended-session.ts';
import { engines, sqlite } from '../../support/engines.ts';
import {
  ADA,
  ALL,
  WORKSPACE,
  down,
  openWebhookStage,
  status,
  taken,
  type Sent,
} from '../../webhooks/stage.ts';

/** Addresses at these hosts, and the name of the first of them. */
async function stageWith({ newUrl }: Pick<typeof sqlite, 'newUrl'>, ...hosts: readonly string[]) {
  const stage = await openWebhookStage(await newUrl());
  const ids: string[] = [];
  for (const host of hosts) ids.push(await stage.add(host));
  const [id = ''] = ids;
  const states = async () =>
    (await stage.rows()).map(({ state, reason }) => (reason === null ? state : `${state} ${reason}`));
  return { ...stage, name: { workspaceId: WORKSPACE, id }, states };
}

/** What each that was sent says of the customer. */
const customersIn = (sent: readonly Sent[]) =>
  sent.map(({ body }) => ('customer' in body.data ? body.data.customer : undefined));
const unnamed = { id: 'jane4821' };
const named = { ...unnamed, name: 'Jane <!channel> Cooper' };

/** Answers once the test says so. */
function gate(answer = taken) {
  const { promise, resolve } = Promise.withResolvers<WebhookReply>();
  return { reply: () => promise, open: () => resolve(answer) };
}

describe.each(engines)('what addresses are told, in $engine', ({ newUrl }) => {
  it('comes in order for a link, whatever another link’s do, with the same id at every try', async () => {
    const stage = await stageWith({ newUrl }, 'hooks.example');
    const { open, tell } = await stage.start({
      reply: ({ what }, times) => (what === 'opened one' && times < 2 ? down : taken),
    });
    await open('one');
    await open('two');
    await stage.pass(10);
    await tell('a', { linkId: 'one' });
    await tell('b', { linkId: 'two' });
    await stage.pass(10_000);
    const orderOf = (which: RegExp) => stage.order().filter((what) => which.test(what));
    expect(orderOf(/one|a$/)).toEqual(['opened one', 'opened one', 'opened one', 'ended a']);
    expect(orderOf(/two|b$/)).toEqual(['opened two', 'ended b']);
    expect(stage.order().indexOf('ended b')).toBeLessThan(stage.order().indexOf('ended a'));
    const tries = stage.sent.filter(({ what }) => what === 'opened one');
    expect(new Set(tries.map(({ id, text }) => id + text)).size).toBe(1);
    expect(new Set(stage.sent.map(({ id }) => id)).size).toBe(4);
    expect(await stage.states()).toEqual(['posted', 'posted', 'posted', 'posted']);
  });

  it('comes in order where the clock was put back in between', async () => {
    const stage = await stageWith({ newUrl }, 'hooks.example');
    await stage.pass(10 * MINUTE_MS);
    const { open, tell } = await stage.start({
      reply: ({ what }, times) => (what === 'opened one' && times < 1 ? down : taken),
    });
    await open('one');
    await stage.pass(10);
    vi.setSystemTime(Date.now() - 7 * MINUTE_MS);
    await tell('a', { linkId: 'one' });
    await stage.pass(20 * MINUTE_MS);
    expect(stage.order()).toEqual(['opened one', 'opened one', 'ended a']);
  });

  it('is sent five at once, and keeps nothing from Slack', async () => {
    const stage = await stageWith({ newUrl }, 'slow.example', 'fast.example');
    const { reply, open: answer } = gate();
    const { tell } = await stage.start({ reply: ({ host }) => (host === 'slow.example' ? reply() : taken) });
    for (let index = 0; index < 12; index += 1) await tell(`s${index}`, { channelId: `C${index}` });
    await stage.pass(5_000);
    expect(stage.sent.filter(({ host }) => host === 'slow.example')).toHaveLength(5);
    expect(stage.sent.filter(({ host }) => host === 'fast.example')).toHaveLength(12);
    expect(stage.asked).toHaveLength(12);
    answer();
    await stage.pass(5_000);
    expect(stage.sent).toHaveLength(24);
    expect(stage.most()).toBe(5);
  });

  it('waits for the longest that an address asks for, of the answers that are under way at once, and no other address does', async () => {
    const stage = await stageWith({ newUrl }, 'busy.example', 'other.example');
    const [one, two] = [gate(status(429, 30_000)), gate(status(429, 2_000))];
    const first = new Map([
      ['busy.example opened one', one],
      ['busy.example opened two', two],
    ]);
    const { open } = await stage.start({
      reply: ({ host, what }, times) =>
        (times === 0 ? first.get(`${host} ${what}`)?.reply() : undefined) ?? taken,
    });
    const sentTo = (place: string) => stage.sent.filter(({ host }) => host === place);
    await open('one');
    await open('two');
    await stage.pass(1_000);
    expect(sentTo('busy.example')).toHaveLength(2);
    one.open();
    await stage.pass(1_000);
    two.open();
    await open('three');
    await stage.pass(27_000);
    expect(sentTo('busy.example')).toHaveLength(2);
    expect(sentTo('other.example')).toHaveLength(3);
    await stage.pass(10_000);
    expect(sentTo('busy.example')).toHaveLength(5);
  });

  it('ends where it says that it’s gone, and whoever added it hears so', async () => {
    const stage = await stageWith({ newUrl }, 'gone.example');
    const { open } = await stage.start({ reply: async () => status(410) });
    for (const link of ['one', 'two', 'three', 'four', 'five', 'six', 'seven']) await open(link);
    await stage.pass(2_000);
    expect((await stage.addresses.one(stage.name))?.offAt).toBeGreaterThan(0);
    expect((await stage.states()).filter((state) => !state.startsWith('skipped'))).toEqual([]);
    const before = stage.sent.length;
    await open('eight');
    await stage.pass(2 * MINUTE_MS);
    expect(stage.sent).toHaveLength(before);
    expect(stage.asked.map(({ to, text }) => [to, text.split('\n')[0]])).toEqual([
      [ADA, expect.stringMatching(/gone\.example.* are switched off: it answered 410/)],
    ]);
  });

  it('comes with the same id from the next process, and after the database was put back', async () => {
    const stage = await stageWith({ newUrl }, 'hooks.example');
    const { reply } = gate();
    const first = await stage.start({ name: 'first', reply });
    await first.tell('a', { linkId: 'one' });
    await stage.pass(1_000);
    // As after a kill: nothing of the outcome is written.
    await stage.start({ name: 'second' });
    await stage.pass(2 * MINUTE_MS);
    expect(stage.sent.map(({ by }) => by)).toEqual(['first', 'second']);
    await stage.database.write(sql`DELETE FROM webhook_messages`, sql`DELETE FROM session_ends`);
    const third = await stage.start({ name: 'third' });
    await third.tell('a', { linkId: 'one' });
    await stage.pass(1_000);
    expect(stage.sent.map(({ by }) => by)).toEqual(['first', 'second', 'third']);
    expect(new Set(stage.sent.map(({ id }) => id)).size).toBe(1);
  });

  it('is what a channel would get: by people, length and tags, which are asked for at the turn', async () => {
    const stage = await stageWith({ newUrl });
    await stage.add('sam.example', { filters: { ...ALL, agents: ['U0SAM'] } });
    await stage.add('alex.example', { filters: { ...ALL, agents: [alexInSupport.userId] } });
    await stage.add('long.example', { filters: { ...ALL, minSeconds: 600 } });
    await stage.add('vip.example', { filters: { ...ALL, tags: ['vip'] } });
    await stage.add('trial.example', { filters: { ...ALL, tags: ['trial'] } });
    const { tell } = await stage.start({
      tagsOf: async () => {
        if (stage.sent.length < 2) throw new Error('not now');
        return ['VIP'];
      },
    });
    await tell('a');
    await tell('b', {}, { length_seconds: 601 });
    await stage.pass(20_000);
    const hosts = stage.sent.map(({ host, what }) => `${host} ${what}`).toSorted();
    expect(hosts).toEqual([
      'alex.example ended a',
      'alex.example ended b',
      'long.example ended b',
      'vip.example ended a',
      'vip.example ended b',
    ]);
  });

  it('is what was chosen', async () => {
    const stage = await stageWith({ newUrl });
    await stage.add('opened.example', { events: ['watch_link.opened'] });
    await stage.add('ended.example', { events: ['session.ended'] });
    const { open, tell } = await stage.start();
    await open('one');
    await tell('a', { linkId: 'one' });
    await stage.pass(10_000);
    const sent = stage.sent.map(({ host, what }) => `${host} ${what}`).toSorted();
    expect(sent).toEqual(['ended.example ended a', 'opened.example opened one']);
  });

  it('has the customer’s name only where an admin wants it, as it is at each try', async () => {
    const stage = await stageWith({ newUrl }, 'plain.example');
    await stage.add('named.example', { hasNames: true });
    let { name } = named;
    const { open } = await stage.start({
      nameOf: async () => name,
      reply: (_one, times) => (times === 0 ? down : taken),
    });
    await open('one');
    await stage.pass(100);
    name = 'Somebody Else';
    await stage.pass(10_000);
    const sentTo = (host: string) => stage.sent.filter((one) => one.host === host);
    expect(customersIn(sentTo('named.example'))).toEqual([named, { ...unnamed, name }]);
    expect(JSON.stringify(await stage.rows())).not.toMatch(/Cooper|Somebody/);
    expect(customersIn(sentTo('plain.example'))).toEqual([unnamed, unnamed]);
  });

  it('is dropped with its address, also where its process died, and isn’t looked for in Slack', async () => {
    const stage = await stageWith({ newUrl }, 'slow.example');
    const { reply, open: answer } = gate();
    const { open } = await stage.start({ reply: ({ what }) => (what === 'opened one' ? reply() : down) });
    for (const link of ['one', 'two']) await open(link);
    await stage.pass(1_000);
    expect(new Set(stage.order())).toEqual(new Set(['opened one', 'opened two']));
    // As another process's, which is gone.
    await stage.database.write(sql`UPDATE webhook_messages SET claimed_until = 0`);
    await stage.addresses.remove(stage.name, stage.entry());
    await open('three');
    await stage.pass(2 * MINUTE_MS);
    expect(await stage.states()).toEqual([]);
    answer();
    await stage.pass(2 * MINUTE_MS);
    expect(stage.finds).toEqual([]);
  });
});

// A server's time can't be made to pass this fast.
describe('what addresses are told, over days,', () => {
  it('pauses where nothing was taken for an hour, and is tried each hour, until one is taken', async () => {
    const stage = await stageWith(sqlite, 'down.example');
    let isUp = false;
    const { open, tell } = await stage.start({ reply: () => (isUp ? taken : down) });
    for (const link of ['one', 'two', 'three']) await open(link);
    await stage.pass(HOUR_MS + 6 * MINUTE_MS);
    expect(stage.asked.map(({ to, text }) => [to, text])).toEqual([
      [ADA, expect.stringMatching(/down\.example.* are paused: it hasn’t accepted anything for an hour/)],
    ]);
    const paused = stage.sent.length;
    await stage.pass(6 * HOUR_MS + HOUR_MS / 2, 4 * MINUTE_MS);
    const probes = [HOUR_MS, ...stage.sent.slice(paused).map(({ at }) => at)];
    const gaps = probes.slice(1).map((at, index) => Math.floor((at - (probes[index] ?? 0)) / HOUR_MS));
    expect(gaps).toEqual([1, 1, 1, 1, 1, 1]);
    // Not the same one each time.
    expect(new Set(stage.sent.slice(paused).map(({ what }) => what)).size).toBe(3);
    isUp = true;
    await tell('a');
    await stage.pass(2 * HOUR_MS, 4 * MINUTE_MS);
    expect((await stage.addresses.one(stage.name))?.failingSince).toBeUndefined();
    expect(await stage.states()).toEqual(['posted', 'posted', 'posted', 'posted']);
    // Once, and its summary.
    expect(stage.asked.filter(({ to }) => to === ADA)).toHaveLength(1);
  });

  it('is set aside after seven days', async () => {
    const stage = await stageWith(sqlite, 'down.example');
    const { open } = await stage.start({ reply: () => down });
    await open('one');
    await stage.pass(6 * DAY_MS, HOUR_MS / 2);
    expect(await stage.states()).toEqual(['waiting http_503']);
    await stage.pass(DAY_MS + HOUR_MS, HOUR_MS / 2);
    expect([await stage.states(), stage.failed]).toEqual([['failed http_503'], ['waited_too_long']]);
  });

  it('waits where the app was removed', async () => {
    const stage = await stageWith(sqlite, 'hooks.example');
    const { open, database } = await stage.start();
    const heldUntil = (time: number | null) =>
      database.write(
        sql`UPDATE workspaces SET held_until = ${time}, gone_at = ${time} WHERE id = ${WORKSPACE}`,
      );
    await heldUntil(Date.now() + 1_000);
    await open('one');
    await stage.pass(DAY_MS, HOUR_MS / 2);
    expect(stage.sent).toEqual([]);
    await heldUntil(null);
    await stage.pass(2 * MINUTE_MS);
    expect(stage.order()).toEqual(['opened one']);
  });
});
