import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';

import { z } from 'zod';

import type { Files } from './files.ts';
import { isJson, parseJson, readBody, readBytes, sendJson } from './http-exchange.ts';
import type { Misbehavior, Misbehaviors } from './misbehaviors.ts';
import type { ResponseUrls } from './response-url.ts';
import { SlackError } from './slack-error.ts';
import type { Sent, WebApi } from './web-api.ts';

const bodySchema = z.record(z.string(), z.unknown());

/** What the app calls over HTTP: `POST /api/<method>`, `POST /response/<id>` and `POST /upload/<id>`. */
export interface AppServer {
  callMethod(request: IncomingMessage, response: ServerResponse, method: string): Promise<void>;
  answerResponseUrl(request: IncomingMessage, response: ServerResponse, id: string): Promise<void>;
  receiveFile(request: IncomingMessage, response: ServerResponse, id: string): Promise<void>;
}

/** A call that does nothing, or whose answer is lost. */
type Unwilling = Exclude<Misbehavior, { readonly slowMs: number }>;

const maxFileBytes = 20 * 1024 * 1024;

export const createAppServer = (options: {
  readonly webApi: WebApi;
  readonly responseUrls: ResponseUrls;
  readonly files: Files;
  readonly misbehaviors: Misbehaviors;
  readonly scopes: readonly string[];
  readonly record: (sent: Sent) => void;
}): AppServer => ({
  async callMethod(request, response, method) {
    const args = argumentsOf(request, (await readBody(request)) ?? '');
    const token = /^Bearer (.+)$/iu.exec(request.headers.authorization ?? '')?.[1] ?? stringOf(args['token']);
    const how = await plannedFor(options.misbehaviors, method, args);
    if (how !== undefined && how !== 'lose-answer') {
      options.record({ method, args, error: codeOf(how), isPlanned: true });
      return misbehave(response, how);
    }
    const answer = options.webApi({ method, token, args });
    options.record({ method, args, ...(answer.ok ? {} : { error: stringOf(answer['error']) ?? '' }) });
    if (how === 'lose-answer') return void response.destroy();
    sendJson(response, answer, { headers: { 'x-oauth-scopes': options.scopes.join(',') } });
  },

  async answerResponseUrl(request, response, id) {
    const body = parseJson((await readBody(request)) ?? '');
    const how = await plannedFor(options.misbehaviors, 'response_url', body);
    if (how !== undefined) {
      options.record({ method: 'response_url', args: body, error: codeOf(how), isPlanned: true });
      return misbehave(response, how);
    }
    try {
      options.responseUrls.answer(id, body);
      options.record({ method: 'response_url', args: body });
      sendJson(response, { ok: true });
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      options.record({ method: 'response_url', args: body, error: error.code });
      const status = ['used_url', 'expired_url'].includes(error.code) ? 404 : 400;
      sendJson(response, { ok: false, error: error.code, ...error.details }, { status });
    }
  },

  async receiveFile(request, response, id) {
    const bytes = await contentOf(request);
    // Text is kept, so that a search of everything the app sent also looks into its files.
    const args = {
      size: bytes?.length,
      ...(bytes && isUtf8(bytes) ? { text: Buffer.from(bytes).toString() } : {}),
    };
    const how = await plannedFor(options.misbehaviors, 'upload', args);
    if (how !== undefined) {
      options.record({ method: 'upload', args, error: codeOf(how), isPlanned: true });
      return misbehave(response, how);
    }
    const isTaken = bytes !== undefined && options.files.receive(id, bytes);
    options.record({ method: 'upload', args, ...(isTaken ? {} : { error: 'not what was announced' }) });
    response.writeHead(isTaken ? 200 : 400, { 'content-type': 'text/plain; charset=utf-8' });
    response.end(isTaken ? `OK - ${bytes.length}` : 'Not what was announced.');
  },
});

/** How the call misbehaves. One that is only slow has waited by now, and doesn't. */
const plannedFor = async (
  misbehaviors: Misbehaviors,
  method: string,
  args: unknown,
): Promise<Unwilling | undefined> => {
  const how = misbehaviors.next(method, args);
  if (typeof how !== 'object' || !('slowMs' in how)) return how;
  await wait(how.slowMs);
  return undefined;
};

/** The raw content, or a form with the content in one of its fields, as Slack's client library sends it. */
const contentOf = async (request: IncomingMessage): Promise<Uint8Array | undefined> => {
  const body = await readBytes(request, maxFileBytes);
  const type = request.headers['content-type'] ?? '';
  if (body === undefined || !type.startsWith('multipart/form-data')) return body;
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
  const [value] = form.values();
  if (value === undefined) return undefined;
  return typeof value === 'string' ? Buffer.from(value) : new Uint8Array(await value.arrayBuffer());
};

/** Structured arguments are JSON inside a form, and can be inside a JSON body too. */
const argumentsOf = (request: IncomingMessage, body: string): Readonly<Record<string, unknown>> => {
  const args = isJson(request)
    ? bodySchema.catch({}).parse(parseJson(body))
    : Object.fromEntries(new URLSearchParams(body).entries());
  return Object.fromEntries(
    Object.entries(args).map(([key, value]) =>
      structured.has(key) && typeof value === 'string' ? [key, parseJson(value) ?? value] : [key, value],
    ),
  );
};

const structured = new Set(['blocks', 'files', 'metadata', 'view']);

const stringOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

const codeOf = (how: Unwilling): string => {
  if (typeof how === 'string') return how;
  return 'retryAfter' in how ? 'ratelimited' : `status ${how.status}`;
};

const misbehave = (response: ServerResponse, how: Unwilling): void => {
  // The request stays open until the caller or the server gives up.
  if (how === 'hang') return;
  if (how === 'lose-answer') response.destroy();
  else if (typeof how === 'string') sendJson(response, { ok: false, error: how });
  else if ('status' in how) response.writeHead(how.status).end();
  else {
    const headers = { 'retry-after': String(how.retryAfter) };
    sendJson(response, { ok: false, error: 'ratelimited' }, { status: 429, headers });
  }
};
