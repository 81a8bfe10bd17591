import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { z } from 'zod';
import type { StandInService } from '../../../sandbox/service/service.ts';
import { watchLink } from '../service/stand-in.ts';

const said = z.looseObject({ t: z.string() });

export type Said = z.infer<typeof said>;

/** Whether a message is a state in which all these words are. */
export const stateOf =
  (...words: readonly string[]) =>
  ({ t, state }: Said) =>
    t === 'state' && words.every((word) => JSON.stringify(state).includes(word));

/** One side of a session by its socket, without a browser. */
export type Side = ReturnType<typeof sideOf>;

function sideOf(socket: WebSocket) {
  const heard: Said[] = [];
  let looked = 0;
  const changes = new EventTarget();
  socket.on('message', (data: Buffer) => {
    heard.push(said.parse(JSON.parse(data.toString())));
    changes.dispatchEvent(new Event('change'));
  });
  const closed = new Promise<number>((resolve) => {
    socket.on('close', resolve);
  });
  onTestFinished(() => socket.terminate());
  function found(
    fits: (message: Said) => boolean,
    from: () => number,
  ): Promise<{ readonly message: Said; readonly at: number }> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const at = heard.findIndex((message, index) => index >= from() && fits(message));
        const message = heard[at];
        if (!message) return;
        changes.removeEventListener('change', look);
        resolve({ message, at });
      };
      changes.addEventListener('change', look);
      look();
      void closed.then((code) =>
        reject(new Error(`Closed with ${code}; heard ${JSON.stringify(heard).slice(-2_000)}`)),
      );
    });
  }
  return {
    heard,
    send: (message: object) => socket.send(JSON.stringify(message)),
    sendText: (text: string) => socket.send(text),
    /** The first message that fits and comes after those it gave before. Rejects when the line closes first. */
    until: (fits: (message: Said) => boolean) =>
      found(fits, () => looked).then(({ message, at }) => {
        looked = Math.max(looked, at + 1);
        return message;
      }),
    /** The first message that fits of those that are still to come. */
    next: (fits: (message: Said) => boolean) => {
      const from = heard.length;
      return found(fits, () => from).then(({ message }) => message);
    },
    closed,
    /** Leaves as a closed tab does, or breaks the line. */
    leave: () => socket.close(1001),
    drop: () => socket.terminate(),
  };
}

async function opened(url: string, headers: Readonly<Record<string, string>>): Promise<Side> {
  const socket = new WebSocket(url, { headers });
  const side = sideOf(socket);
  await new Promise((resolve, reject) => {
    socket.on('open', resolve);
    socket.on('error', reject);
  });
  return side;
}

/** A visitor's page, which said hello; its site is on this machine. */
export async function visitorPage(
  service: StandInService,
  visitorId: string | undefined,
  page: { readonly page?: string; readonly tab?: string; readonly key?: string } = {},
): Promise<Side> {
  const { key = service.siteKey, ...rest } = page;
  const origin = 'http://127.0.0.1:9';
  const side = await opened(`${service.url.replace('http', 'ws')}/visit`, { origin });
  const visitor = visitorId === undefined ? undefined : service.visitorToken(visitorId);
  const url = 'http://127.0.0.1:9/checkout?secret=1#part';
  side.send({ t: 'hello', key, visitor, tab: 'tab-1', page: 'page-1', url, ...rest });
  return side;
}

/** Opens a watch link as a browser does, which then has it. */
export async function watching(service: StandInService, visitorId: string, body: object = {}) {
  const { url } = await watchLink(service, visitorId, body);
  const response = await fetch(url);
  const cookie = (response.headers.getSetCookie()[0] ?? '').split(';')[0] ?? '';
  return {
    url,
    cookie,
    page: async () => {
      const side = await opened(`${url.replace('http', 'ws')}/socket`, { cookie, origin: service.url });
      side.send({ t: 'hello', stream: null, seen: 0 });
      return side;
    },
  };
}

/** Whether a socket is refused, and with which status. */
export function refusal(url: string, headers: Readonly<Record<string, string>>): Promise<number> {
  const socket = new WebSocket(url.replace('http', 'ws'), { headers });
  return new Promise((resolve, reject) => {
    socket.on('unexpected-response', (_request, response) => {
      resolve(response.statusCode ?? 0);
      socket.terminate();
    });
    socket.on('open', () => {
      socket.terminate();
      reject(new Error('The socket was opened'));
    });
    socket.on('error', () => undefined);
  });
}

const element = (id: number, tagName: string, attributes = {}, childNodes: readonly object[] = []) => {
  return { type: 2, id, tagName, attributes, childNodes };
};

export const field = {
  box: 10,
  typed: 11,
  shown: 12,
  file: 13,
  hidden: 14,
  password: 15,
  words: 20,
} as const;

/** A small page: a box, a field, one that is shown, one for files, a hidden one, a password. */
export function snapshot(words = 'Checkout') {
  const body = [
    element(field.box, 'input', { type: 'checkbox' }),
    element(field.typed, 'input', { type: 'text', value: '4242 4242' }),
    element(field.shown, 'input', { type: 'text', value: 'SPRING', 'data-cobrowse-show': '' }),
    element(field.file, 'input', { type: 'file', value: 'C:\\passport.pdf' }),
    element(field.hidden, 'input', { type: 'hidden', value: 'token-9', name: 'csrf' }),
    element(field.password, 'input', { type: 'password', value: 'hunter2', 'data-cobrowse-show': '' }),
    { type: 3, id: field.words, textContent: words },
  ];
  const html = element(2, 'html', {}, [element(3, 'head'), element(4, 'body', {}, body)]);
  const node = { type: 0, id: 1, childNodes: [html] };
  const href = 'http://127.0.0.1:9/checkout?card=4242#x';
  return [
    { type: 4, timestamp: 1, data: { href, width: 800, height: 600 } },
    { type: 2, timestamp: 2, data: { node, initialOffset: { left: 0, top: 0 } } },
  ];
}

export const input = (id: number, text: string) => ({
  type: 3,
  timestamp: 3,
  data: { source: 5, id, text, isChecked: false },
});

/** A page and an agent in a session to which the visitor agreed, with the first picture at the agent. */
export async function live(service: StandInService, body: object = {}) {
  const watch = await watching(service, 'jane4821', body);
  const agent = await watch.page();
  const visitor = await visitorPage(service, 'jane4821');
  const session = service.sessions()[0]?.id ?? '';
  await visitor.until(stateOf(session));
  visitor.send({ t: 'answer', session, allow: true });
  await visitor.until(({ t }) => t === 'snapshot');
  visitor.send({ t: 'events', seq: 1, events: snapshot() });
  const first = await agent.until(({ t }) => t === 'events');
  await agent.until(stateOf('"status":"live"'));
  let lastAct = 0;
  return {
    watch,
    agent,
    visitor,
    session,
    first,
    /** Does something as the agent, and gives what came of it: what the visitor's page is told, or the refusal. */
    act: async (act: object, seen = first.seq, as: Side = agent) => {
      lastAct += 1;
      const id = lastAct;
      const done = visitor.next(
        ({ t, act: told }) => t === 'act' && JSON.stringify(told) === JSON.stringify(act),
      );
      const refused = as.next(({ t, id: told }) => t === 'did' && told === id);
      void Promise.allSettled([done, refused]);
      as.send({ t: 'act', id, seen, act });
      return Promise.race([done.then(() => 'done'), refused.then(({ why }) => why)]);
    },
    /** Has the visitor lend all that the link grants. */
    lend: async () => {
      agent.send({ t: 'ask', access: ['click', 'scroll', 'type', 'agent_redirect'] });
      await visitor.until(({ t, state }) => t === 'state' && !JSON.stringify(state).includes('"asked":[]'));
      visitor.send({ t: 'grant', allow: true });
      return agent.until(stateOf('"asked":[]'));
    },
  };
}
