import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { connect } from 'node:net';
import { onTestFinished } from 'vitest';

/**
 * A company's proxy, and the only one who knows where names lead: all to one server.
 *
 * @param port the server's, for tunnels and for plain http alike
 */
export async function startConnectProxy(port: number) {
  const asked: string[] = [];
  const authorizations = new Set<string | undefined>();
  const open = new Set<{ destroy: () => unknown }>();
  const server = createServer((incoming, outgoing) => {
    asked.push(`${incoming.method} ${incoming.url}`);
    const { method, headers } = incoming;
    const path = URL.parse(incoming.url ?? '')?.pathname ?? '/';
    const onward = request({ port, method, path, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  server.on('connect', (incoming, client, head) => {
    asked.push(`CONNECT ${incoming.url}`);
    authorizations.add(incoming.headers['proxy-authorization']);
    const onward = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      onward.write(head);
      onward.pipe(client).pipe(onward);
    });
    for (const one of [client, onward]) {
      open.add(one);
      one.on('error', () => undefined).on('close', () => [client, onward].map((end) => end.destroy()));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const one of open) one.destroy();
    server.close();
    server.closeAllConnections();
  });
  const at = server.address();
  return {
    url: `http://127.0.0.1:${typeof at === 'object' && at !== null ? at.port : 0}`,
    /** What it was asked for, in order. */
    asked,
    authorizations,
  };
}
