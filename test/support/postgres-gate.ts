import net from 'node:net';
import { onTestFinished } from 'vitest';

/** Whoever asks for this gets no answer any more. */
const MIDWAY = 'midway';
/**
 * A way to a server that can be cut, for example once `midway` has resolved: somebody has asked for that. Muted, it
 * accepts connections and passes nothing on, like a network that broke; those of then never work again.
 */
export async function openPostgresGate(to: URL) {
  const open = new Set<net.Socket>();
  let isMuted = false;
  let isShut = false;
  const { promise: midway, resolve: isMidway } = Promise.withResolvers<void>();
  const gate = net.createServer((near) => {
    if (isShut) {
      near.destroy();
      return;
    }
    if (isMuted) {
      open.add(near.on('error', () => undefined));
      return;
    }
    const far = net.connect(Number(to.port), to.hostname);
    near.on('data', (asked: Buffer) => {
      if (!asked.includes(MIDWAY)) return;
      far.unpipe(near);
      isMidway();
    });
    for (const socket of [near, far]) {
      open.add(socket);
      socket.on('error', () => undefined);
    }
    near.pipe(far).pipe(near);
    // The server may not be there, or end without a word.
    far.on('close', () => near.destroy());
  });
  await new Promise<void>((resolve) => gate.listen(0, '127.0.0.1', resolve));
  const address = gate.address();
  const url = new URL(to);
  url.port = String(typeof address === 'object' ? address?.port : '');
  const cut = () => {
    for (const socket of open) socket.destroy();
    open.clear();
  };
  const close = () => {
    gate.close();
    cut();
  };
  const mute = () => {
    isMuted = true;
    for (const socket of open) socket.unpipe().pause();
  };
  const unmute = () => void (isMuted = false);
  /** Like a server that isn't running. */
  const shut = () => {
    isShut = true;
    cut();
  };
  const reopen = () => void (isShut = false);
  return { url: url.href, cut, close, shut, reopen, mute, unmute, midway };
}

/** The same for one test. */
export async function startGate(to: URL) {
  const gate = await openPostgresGate(to);
  onTestFinished(gate.close);
  return gate;
}
