import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { startReceiver, startSocketSlack, type Seen } from './socket-slack.ts';

const ACKNOWLEDGED_WITHIN_MS = 3_000;

async function connected(
  options?: Parameters<typeof startSocketSlack>[0],
  times?: Parameters<typeof startReceiver>[1],
) {
  const slack = await startSocketSlack(options);
  const receiver = startReceiver(slack.apiUrl, times);
  const opened = slack.next();
  await receiver.app.start();
  return { ...receiver, slack, first: await opened };
}

const refusal = (error: string) => (response: ServerResponse) =>
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ ok: false, error }));

/** So many commands one after another, each once the one before is acknowledged. */
async function commands(connection: Seen, name: string, count = 5): Promise<readonly number[]> {
  const took: number[] = [];
  for (let number = 0; number < count; number += 1) took.push(await connection.command(`${name}-${number}`));
  return took;
}

describe('a Slack that asks for another connection while commands go on', () => {
  it.each(['refresh_requested', 'warning'])('loses none: %s', async (reason) => {
    const { slack, first } = await connected();
    const took = [...(await commands(first, 'before'))];
    const successor = slack.next();
    first.disconnect(reason);
    // Slack goes on using the old one until it has the new one, and a little longer.
    took.push(...(await commands(first, 'asked')));
    const second = await successor;
    expect([first.isOpen(), second.isOpen()]).toEqual([true, true]);
    const both = await Promise.all([commands(first, 'old'), commands(second, 'new')]);
    took.push(...both.flat());
    first.socket.close();
    took.push(...(await commands(second, 'after')));
    expect(took).toHaveLength(25);
    expect(Math.max(...took)).toBeLessThan(ACKNOWLEDGED_WITHIN_MS);
    expect([...slack.acks.values()]).toEqual(took.map(() => 1));
    expect(slack.opens()).toBe(2);
  });
});

describe('a Slack that fails', () => {
  it('gets another connection if it closes one silently, and the log warns about it', async () => {
    const { slack, first, lines } = await connected();
    const successor = slack.next();
    first.socket.terminate();
    expect(await commands(await successor, 'again')).toHaveLength(5);
    const told = lines.map((line): unknown => JSON.parse(line));
    expect(told).toContainEqual(
      expect.objectContaining({
        level: 40,
        msg: 'lost the connection to Slack',
        reason: 'closed with 1006',
      }),
    );
    expect(lines.join('')).not.toContain('asks for another');
  });

  it('sends something unreadable: logged, and nothing else', async () => {
    const { first, lines } = await connected();
    first.socket.send('no JSON');
    first.socket.send(JSON.stringify({ type: 'something_new' }));
    first.socket.send(JSON.stringify({ envelope_id: 'spoiled', type: 'events_api', payload: 'secret' }));
    await commands(first, 'after');
    expect(lines.filter((line) => line.includes('cannot read'))).toHaveLength(3);
    expect(lines.join('')).not.toContain('secret');
  });

  it('is asked again if it refuses, as late as it says', async () => {
    const { slack, first, lines } = await connected();
    slack.refuse(
      (response) => response.writeHead(429, { 'retry-after': '1' }).end(),
      (response) => response.writeHead(500).end(),
      (response) => void response.destroy(),
      refusal('internal_error'),
    );
    const successor = slack.next();
    first.socket.terminate();
    await commands(await successor, 'again');
    const waits = lines.flatMap((line) => /"waitMs":(\d+)/.exec(line)?.[1] ?? []);
    expect(waits).toEqual(['1000', '1', '1', '1']);
    expect(slack.opens()).toBe(6);
  });

  it('is left if it is silent', async () => {
    const times = { hello: 10_000, ping: 20, silence: 200, leave: 10_000 };
    const { slack, first } = await connected({ autoPong: false }, times);
    const successor = slack.next();
    await successor;
    expect(first.isOpen()).toBe(false);
  });

  it('is believed at the start if it refuses the token', async () => {
    const slack = await startSocketSlack();
    slack.refuse(refusal('invalid_auth'));
    await expect(startReceiver(slack.apiUrl).app.start()).rejects.toThrow('invalid_auth');
    expect(slack.opens()).toBe(1);
  });
});

describe('an app that stops', () => {
  it('does so while it has no connection, and opens no other', async () => {
    const { app, slack, first, lines, disconnectedMs } = await connected();
    expect(disconnectedMs()).toBe(0);
    slack.turnAway(true);
    first.socket.terminate();
    await expect.poll(() => lines.join('')).toContain("can't connect to Slack");
    expect(disconnectedMs()).toBeGreaterThan(0);
    await app.stop();
    slack.turnAway(false);
    // By the time that a second app has opened a connection and used it, the first would have opened another, too. One
    // that was on its way when it stopped may still arrive here: it's over at once.
    const { app: second } = startReceiver(slack.apiUrl);
    await second.start();
    await expect.poll(() => slack.open()).toHaveLength(1);
    const took = await Promise.all(slack.open().map((connection) => commands(connection, 'second')));
    expect(took).toEqual([expect.any(Array)]);
    expect(slack.open()).toHaveLength(1);
  });

  it('acknowledges what came before, then closes', async () => {
    const { app, slack, first } = await connected();
    const last = first.command('last');
    await expect.poll(() => slack.acks.get('last')).toBe(1);
    await Promise.all([last, app.stop()]);
    await expect.poll(() => first.isOpen()).toBe(false);
  });
});
