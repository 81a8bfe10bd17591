import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { startLocalService } from '../../cobrowse/local-service.ts';
import { openRealWorld, type WorldOptions } from './real-app.ts';

/** What a gate makes of an answer on its way; it sees the path and the text. */
type Change = (path: string, answer: string) => string;

/** A server before another one, which can hold requests back and change answers. Closed when the test ends. */
export async function openGate(target: string, change: Change = (_, answer) => answer) {
  const held: (() => void)[] = [];
  let waiting: string | undefined;

  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url: path = '/' } = request;
    const body = await buffer(request);
    if (waiting !== undefined && path.includes(waiting))
      await new Promise<void>((goOn) => void held.push(goOn));
    const headers = Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
      typeof value === 'string' && !['host', 'connection', 'content-length'].includes(name)
        ? [[name, value]]
        : [],
    );
    const init = { method, headers, redirect: 'manual', ...(body.length === 0 ? {} : { body }) } as const;
    const answer = await fetch(new URL(path, target), init);
    const text = change(path, await answer.text());
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' });
    response.end(text);
  }

  const gate = await startLocalService((request, response) => {
    forward(request, response).catch(() => response.destroy());
  });
  onTestFinished(() => gate.close());
  return {
    url: gate.url,
    held,
    /** From now on requests whose path holds these words wait. */
    hold: (words: string) => void (waiting = words),
    release(): void {
      waiting = undefined;
      for (const goOn of held.splice(0)) goOn();
    },
  };
}

/** A world whose app reaches Slack and the service through gates. */
export async function openGatedWorld({ settings, ...options }: WorldOptions = {}) {
  const gates: Awaited<ReturnType<typeof openGate>>[] = [];
  const world = await openRealWorld({
    ...options,
    async settings(standIns) {
      const [slack, service] = [await openGate(standIns.slack.url), await openGate(standIns.service.url)];
      gates.push(slack, service);
      const through = { SLACK_API_URL: `${slack.url}/api/`, COBROWSE_BASE_URL: service.url };
      return { ...through, ...(await settings?.(standIns)) };
    },
  });
  const [slackGate, serviceGate] = gates;
  if (slackGate === undefined || serviceGate === undefined) throw new Error('The gates are not open.');
  return { world, slackGate, serviceGate };
}
