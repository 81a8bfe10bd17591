import type { RequestListener, ServerResponse } from 'node:http';
import { startLocalService } from '../cobrowse/local-service.ts';

const notFound: RequestListener = (_request, response) => void response.writeHead(404).end();

/** A co-browsing service that answers every request in the way it was told last. */
export async function startOddService() {
  let answer = notFound;
  const held: ServerResponse[] = [];
  const service = await startLocalService((request, response) => answer(request, response));
  return {
    ...service,
    answers(status: number, body: unknown = '', headers: Readonly<Record<string, string>> = {}): void {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      answer = (_request, response) => void response.writeHead(status, headers).end(text);
    },
    breaksOff(): void {
      answer = (request) => void request.socket.destroy();
    },
    /** Answers nothing until `release` is called. */
    holdsBack(): void {
      answer = (_request, response) => void held.push(response);
    },
    /** Answers everything held back. */
    release(body: unknown): void {
      for (const response of held.splice(0)) response.writeHead(200).end(JSON.stringify(body));
    },
  };
}

export type OddService = Awaited<ReturnType<typeof startOddService>>;
