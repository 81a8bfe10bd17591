import { describe, expect, it } from 'vitest';
import { connected } from '../../http/served.ts';
import { ALEX, SUPPORT } from '../../support/person.ts';
import { endedSession } from '../../sessions/ended-session.ts';
import { idsSeenBy, issueSessionEndTicket } from '../../sessions/webhook-stage.ts';
import { openGatedWorld } from './gate.ts';
import { summaryOf, tellOf } from './many-channels.ts';
import { SECRETS, openRealWorld } from './real-app.ts';

describe('the app asked to stop, with a balancer before it', () => {
  it('says so at once, serves on, keeps no connection, and stops at the next signal', async () => {
    const world = await openRealWorld({ settings: async () => ({ DRAIN_SECONDS: '60' }) });
    const app = await world.start();
    const get = async (path: string) => {
      const answer = await fetch(`${world.publicUrl}${path}`);
      return [answer.status, answer.headers.get('connection'), await answer.text()];
    };
    expect(await get('/healthz')).toEqual([200, 'keep-alive', 'ok\n']);
    app.askToStop();
    await app.said('"msg":"stopping"');
    expect(await get('/healthz')).toEqual([503, 'close', 'stopping\n']);
    expect(await get('/readyz')).toEqual([503, 'close', 'not ready: stopping\n']);
    expect(await tellOf(world, 'late')).toBe(200);
    await summaryOf(world, 'late');
    app.askToStop();
    expect(await app.ended()).toBe(0);
  });
});

describe('the app asked to stop', () => {
  it('finishes the current post, accepts nothing new, and leaves the rest to the next start', async () => {
    const { world, slackGate } = await openGatedWorld();
    slackGate.hold('chat.postMessage');
    const app = await world.start();
    for (const id of ['first', 'second', 'third']) expect(await tellOf(world, id)).toBe(200);
    await expect.poll(() => slackGate.held).toHaveLength(1);
    app.askToStop();
    await app.said('"msg":"stopping"');
    await expect.poll(() => tellOf(world, 'too-late').catch(() => 'refused')).toBe('refused');
    expect(idsSeenBy(world.slack)).toEqual([]);
    slackGate.release();
    expect(await app.ended()).toBe(0);
    expect(idsSeenBy(world.slack)).toEqual(['first']);
    await world.start();
    await summaryOf(world, 'third');
    expect(idsSeenBy(world.slack)).toEqual(['first', 'second', 'third']);
  });

  it('answers the command that it has acknowledged', async () => {
    const { world, serviceGate } = await openGatedWorld();
    serviceGate.hold('/list');
    const app = await world.start();
    await world.slack.command({ as: ALEX, channel: SUPPORT, text: '/cobrowse find jane' });
    await expect.poll(() => serviceGate.held).toHaveLength(1);
    app.askToStop();
    await app.said('"msg":"stopping"');
    serviceGate.release();
    expect(await app.ended()).toBe(0);
    const texts = world.slack.snapshot(ALEX).messages.map(({ text }) => text);
    expect(texts.some((text) => text.includes('Jane Cooper'))).toBe(true);
  });

  it('while it still starts keeps what it has accepted, and ends with 0', async () => {
    const { world, slackGate } = await openGatedWorld();
    world.slack.fail('chat.postMessage', { retryAfter: 3_600 }, 100);
    slackGate.hold('auth.test');
    const app = world.launch();
    await expect.poll(() => tellOf(world, 'early').catch(() => 0)).toBe(200);
    await expect.poll(() => slackGate.held).toHaveLength(1);
    app.askToStop();
    await app.said('"msg":"stopping"');
    slackGate.release();
    expect(await app.ended()).toBe(0);
    world.slack.fail('chat.postMessage', 'hang', 0);
    world.endWaits();
    await world.start();
    await summaryOf(world, 'early');
    expect(idsSeenBy(world.slack)).toEqual(['early']);
  });

  it('accepts the webhook whose body is still on its way', async () => {
    const world = await openRealWorld();
    world.slack.fail('chat.postMessage', { retryAfter: 3_600 }, 100);
    const app = await world.start();
    const body = JSON.stringify(endedSession('slow'));
    const { hostname, port } = new URL(world.publicUrl);
    const { socket, received, closed } = connected(Number(port));
    socket.write(
      `POST /webhooks/session-end/${issueSessionEndTicket(SECRETS.secretKeys)} HTTP/1.1\r\nHost: ${hostname}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
    );
    await expect.poll(received).toContain('100 Continue');
    socket.write(body.slice(0, 20));
    app.askToStop();
    await app.said('"msg":"stopping"');
    socket.write(body.slice(20));
    await closed;
    expect(received()).toContain('200 OK');
    expect(await app.ended()).toBe(0);
    world.slack.fail('chat.postMessage', 'hang', 0);
    world.endWaits();
    await world.start();
    await summaryOf(world, 'slow');
  });
});
