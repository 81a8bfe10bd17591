import type { IncomingMessage, ServerResponse } from 'node:http';

/** A request's body as text; undefined if it's larger than a mebibyte. */
export const readBody = async (request: IncomingMessage): Promise<string | undefined> =>
  (await readBytes(request, 1024 * 1024))?.toString('utf8');

/** A request's body; undefined if it's larger than `maxBytes`. */
export const readBytes = async (request: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > maxBytes) return undefined;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
};

/** Undefined if the text isn't JSON. */
export const parseJson = (text: string): unknown => {
  try {
    const parsed: unknown = JSON.parse(text);
    return parsed;
  } catch {
    return undefined;
  }
};

export const isJson = (request: IncomingMessage): boolean =>
  (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() === 'application/json';

export const sendJson = (
  response: ServerResponse,
  body: unknown,
  {
    status = 200,
    headers = {},
  }: { readonly status?: number; readonly headers?: Record<string, string> } = {},
): void => {
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    ...headers,
  });
  response.end(JSON.stringify(body));
};
