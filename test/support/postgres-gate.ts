import net from 'node:net';
import { Transform } from 'node:stream';
import { onTestFinished } from 'vitest';

/** Whoever asks for this gets no answer any more. */
const MIDWAY = 'midway';
/** Long enough for the server to have done what it was asked. */
const BREAKS_AFTER_MS = 20;

/**
 * A way to a server that can be cut, for example once `midway` has resolved: somebody has asked for that. Muted, it
 * accepts connections and passes nothing on, like a network that broke; those of then never work again. What it swallows is
 * what is sent on those there are, like a network that has forgotten them.
 */
export async function openPostgresGate(to: URL) {
  const open = new Set<net.Socket>();
  let isMuted = false;
  let isShut = false;
  let target = to;
  let answersAfterMs = 0;
  let isBreaking = false;
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
    const far = net.connect(Number(target.port), target.hostname);
    const late = new Transform({
      transform: (answer: Buffer, _encoding, pass) =>
        void setTimeout(() => pass(undefined, answer), answersAfterMs),
    });
    let isGreeting = true;
    near.on('data', (asked: Buffer) => {
      if (isBreaking && !isGreeting) {
        // What was asked is done, and nobody hears of it.
        late.unpipe(near);
        setTimeout(() => near.destroy(), BREAKS_AFTER_MS);
      }
      isGreeting = false;
      if (!asked.includes(MIDWAY)) return;
      late.unpipe(near);
      isMidway();
    });
    for (const socket of [near, far]) {
      open.add(socket);
      socket.on('error', () => undefined);
    }
    near.on('close', () => far.destroy());
    near.pipe(far).pipe(late).pipe(near);
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
  const swallow = () => {
    for (const socket of open) socket.unpipe().pause();
  };
  const mute = () => {
    isMuted = true;
    swallow();
  };
  const unmute = () => void (isMuted = false);
  /** Like a server that isn't running. */
  const shut = () => {
    isShut = true;
    cut();
  };
  const reopen = () => void (isShut = false);
  /** Makes each answer come so much later. */
  const delay = (ms: number) => void (answersAfterMs = ms);
  /** Cuts each connection that is asked something, while it's on. */
  const breakAll = (isOn: boolean) => void (isBreaking = isOn);
  /** Leads to another server from now on. Those that are open still lead where they did. */
  const leadTo = (other: string) => void (target = new URL(other));
  return { url: url.href, cut, close, shut, reopen, mute, unmute, swallow, delay, breakAll, leadTo, midway };
}

/** The same for one test. */
export async function startGate(to: URL) {
  const gate = await openPostgresGate(to);
  onTestFinished(gate.close);
  return gate;
}
