import { createServer } from 'node:http';
import { Agent } from 'undici';
import { settings } from './settings.ts';
import { headers, watchRequest, watchUrlIn } from './watch-request.ts';

const agent = new Agent({ keepAliveTimeout: 600_000, keepAliveMaxTimeout: 600_000 });

createServer((request, response) => {
  const chunks: Buffer[] = [];
  agent.dispatch(
    {
      origin: settings.COBROWSE_BASE_URL,
      method: 'POST',
      headers,
      ...watchRequest(request.url?.slice('/watch/'.length) ?? ''),
    },
    {
      onRequestStart: () => undefined,
      onResponseStart: () => undefined,
      onResponseData: (_controller, chunk) => void chunks.push(chunk),
      onResponseEnd: () => {
        const location = watchUrlIn(Buffer.concat(chunks).toString());
        response.writeHead(302, { location, 'cache-control': 'no-store', 'content-length': 0 }).end();
      },
      onResponseError: () => void response.writeHead(502).end(),
    },
  );
}).listen(0, '127.0.0.1');
