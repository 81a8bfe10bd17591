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
  const is = { muted: false, shut: false, breaking: false };
  let target = to;
  let answersAfterMs = 0;
  const { promise: midway, resolve: isMidway } = Promise.withResolvers<void>();
  const gate = net.createServer((near) => {
    open.add(near.on('error', () => undefined));
    if (is.shut) near.destroy();
    if (is.shut || is.muted) return;
    const far = net.connect(Number(target.port), target.hostname);
    const late = new Transform({
      transform: (answer: Buffer, _encoding, pass) =>
        void setTimeout(() => pass(undefined, answer), answersAfterMs),
    });
    let isGreeting = true;
    near.on('data', (asked: Buffer) => {
      if (is.breaking && !isGreeting) {
        // What was asked is done, and nobody hears of it.
        late.unpipe(near);
        setTimeout(() => near.destroy(), BREAKS_AFTER_MS);
      }
      isGreeting = false;
      if (!asked.includes(MIDWAY)) return;
      late.unpipe(near);
      isMidway();
    });
    open.add(far.on('error', () => undefined));
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
  const swallow = () => {
    for (const socket of open) socket.unpipe().pause();
  };
  return {
    url: url.href,
    midway,
    cut,
    swallow,
    close() {
      gate.close();
      cut();
    },
    /** Like a server that isn't running. */
    shut() {
      is.shut = true;
      cut();
    },
    reopen: () => void (is.shut = false),
    mute() {
      is.muted = true;
      swallow();
    },
    unmute: () => void (is.muted = false),
    /** Makes each answer come so much later. */
    delay: (ms: number) => void (answersAfterMs = ms),
    /** Cuts each connection that is asked something, while it's on. */
    breakAll: (isOn: boolean) => void (is.breaking = isOn),
    /** Leads to another server from now on. Those that are open still lead where they did. */
    leadTo: (other: string) => void (target = new URL(other)),
  };
}

/** The same for one test. */
export async function startGate(to: URL) {
  const gate = await openPostgresGate(to);
  onTestFinished(() => gate.close());
  return gate;
}
