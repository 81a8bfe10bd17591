import { describe, expect, it } from 'vitest';
import { connected } from '../../http/served.ts';
import { checkedSandbox } from '../../support/checked-sandbox.ts';
import { signedSender } from '../../support/signed.ts';

describe('bodies that strangers never finish', () => {
  const { sandbox } = checkedSandbox();
  const MIB = 1_048_576;

  it('shut out no signed request, even if they would use up all the memory for bodies', async () => {
    const { hostname, port } = new URL(sandbox().publicUrl);
    const unfinished = (bytes: number) =>
      Buffer.concat([
        Buffer.from(`POST /slack/events HTTP/1.1\r\nHost: ${hostname}\r\nContent-Length: ${bytes}\r\n\r\n`),
        Buffer.alloc(bytes - 1, 'a'),
      ]);
    const attack = { isOver: false, refusals: 0 };
    /** Comes again whenever they are cut off. */
    async function persist(bytes: number): Promise<void> {
      while (!attack.isOver) {
        const { socket, closed } = connected(Number(port));
        socket.write(unfinished(bytes));
        await closed;
        attack.refusals += 1;
      }
    }
    // 64 MiB may be held; the smaller ones fill what the large ones leave.
    for (const bytes of [MIB, 65_536, 4_096, 256, 32])
      for (let count = 0; count < 70; count += 1) void persist(bytes);
    const send = signedSender(sandbox());
    const statuses = new Set<number>();
    do statuses.add((await send('ssl_check=1')).status);
    while (attack.refusals < 50);
    attack.isOver = true;
    expect([...statuses]).toEqual([200]);
  });
});
