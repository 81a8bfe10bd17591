import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { z } from 'zod';
import type { StandInService } from '../../../sandbox/service/service.ts';

const Said = z.looseObject({ t: z.string() });
type Said = z.infer<typeof Said>;

/** A visitor's page by its socket, without a browser, which said hello; its site is on this machine. */
export async function visitorPage(service: StandInService, visitorId: string) {
  const origin = 'http://127.0.0.1:9';
  const socket = new WebSocket(`${service.url.replace('http', 'ws')}/visit`, { headers: { origin } });
  onTestFinished(() => socket.terminate());
  const heard: Said[] = [];
  const news = new EventTarget();
  socket.on('message', (data: Buffer) => {
    heard.push(Said.parse(JSON.parse(data.toString())));
    news.dispatchEvent(new Event('heard'));
  });
  await new Promise((resolve, reject) => {
    socket.on('open', resolve);
    socket.on('error', reject);
  });
  const send = (message: object) => socket.send(JSON.stringify(message));
  const visitor = service.visitorToken(visitorId);
  send({
    t: 'hello',
    key: service.siteKey,
    visitor,
    tab: 'tab-1',
    page: 'page-1',
    url: `${origin}/checkout`,
  });
  return {
    send,
    /** Resolves once a message was heard that has these words; rejects when the line closes first. */
    until: (...words: readonly string[]) =>
      new Promise<void>((resolve, reject) => {
        const look = () => {
          if (heard.some((message) => words.every((word) => JSON.stringify(message).includes(word))))
            resolve();
        };
        news.addEventListener('heard', look);
        look();
        socket.on('close', (code) => reject(new Error(`Closed with ${code} before ${words.join()}`)));
      }),
  };
}
