import { describe, expect, it } from 'vitest';
import { openConnection } from '../../src/slack/socket-connection.ts';
import { startSocketSlack } from './socket-slack.ts';

const times = { hello: 10_000, ping: 5_000, silence: 20_000, leave: 30_000 };

describe('a connection that is being closed', () => {
  it('acknowledges what it accepted before, and ignores what comes meanwhile', async () => {
    const slack = await startSocketSlack();
    const taken: unknown[] = [];
    const held = Promise.withResolvers<void>();
    const opened = slack.next();
    const connection = openConnection({
      url: slack.apiUrl.replace('http', 'ws'),
      times,
      async take({ body }) {
        taken.push(body['text']);
        await held.promise;
      },
      report: () => undefined,
    });
    await connection.ready;
    const side = await opened;
    const before = side.command('before');
    await expect.poll(() => taken).toEqual(['before']);
    const closed = connection.close();
    const meanwhile = side.command('meanwhile');
    // Slack's ping is answered in order: what was sent before it has come.
    const answered = new Promise((resolve) => void side.socket.once('pong', resolve));
    side.socket.ping();
    await answered;
    held.resolve();
    await before;
    await expect(meanwhile).rejects.toThrow('closed before meanwhile was acknowledged');
    await closed;
    expect(taken).toEqual(['before']);
  });
});
