import { setTimeout as pause } from 'node:timers/promises';
import type { z } from 'zod';
import { UnreadableAnswerError } from './ask.ts';
import type { BodyReader } from './ask.ts';
import { createExchange } from './exchange.ts';
import type { Answered, ExchangeOptions } from './exchange.ts';
import { isOk, readJson } from './replies.ts';
import { failureOf, isUsableId } from './service-call.ts';
import type { ServiceCall } from './service-call.ts';

export interface TransportOptions extends ExchangeOptions {
  /** For a whole call, its repetition included. */
  readonly timeoutMs: number;
}

/** Calls to one service; all functions reject with a CobrowseError and nothing else. */
export interface Transport {
  /** Reads the answer as JSON of this shape. */
  read<Value>(call: ServiceCall, schema: z.ZodType<Value>): Promise<Value>;
  /** The same, with the service's own time of its answer, where it is told. */
  readDated<Value>(
    call: ServiceCall,
    schema: z.ZodType<Value>,
  ): Promise<{ readonly value: Value; readonly servedAt: Date | undefined }>;
  /** Reads the answer part by part, with a fresh reader each time the service is asked. */
  stream<Value>(call: ServiceCall, createReader: () => BodyReader<Value>): Promise<Value>;
  /** For a call that is answered with a plain `ok`. */
  confirm(call: ServiceCall): Promise<void>;
}

/** A GET is repeated once where that may help; nothing else is ever sent twice. @throws TypeError as createExchange */
export function createTransport({ timeoutMs: usualMs, ...options }: TransportOptions): Transport {
  const { secrets } = options;
  const exchange = createExchange(options);

  async function send<Value>(
    call: ServiceCall,
    createReader?: () => BodyReader<Value>,
  ): Promise<Answered & { readonly reader: BodyReader<Value> | undefined }> {
    if (call.visitorId !== undefined && !isUsableId(call.visitorId)) {
      throw failureOf(call, 'not-found', { what: 'not sent, no visitor can have this id' });
    }
    const { timeoutMs = usualMs } = call;
    const endsAt = performance.now() + timeoutMs;
    let reader = createReader?.();
    const first = await exchange(call, timeoutMs, reader);
    if ('text' in first) return { ...first, reader };
    if (call.method !== 'GET' || call.once === true || first.retryInMs === undefined) throw first.failure;
    const leftMs = endsAt - performance.now() - first.retryInMs;
    if (leftMs <= 0) throw first.failure;
    await pause(first.retryInMs);
    reader = createReader?.();
    const second = await exchange(call, leftMs, reader);
    if ('text' in second) return { ...second, reader };
    throw second.failure;
  }

  async function readDated<Value>(call: ServiceCall, schema: z.ZodType<Value>) {
    const { text, servedAt } = await send(call);
    const reading = readJson(text, schema);
    if ('value' in reading) return { value: reading.value, servedAt };
    const { complaint: what, cause } = reading;
    throw failureOf(call, 'not-understood', { what, cause, status: 200, secrets });
  }

  return {
    readDated,
    read: async (call, schema) => (await readDated(call, schema)).value,
    async stream(call, createReader) {
      const { reader } = await send(call, createReader);
      if (reader === undefined) throw new TypeError('No reader was made.');
      try {
        return await reader.result();
      } catch (error) {
        if (!(error instanceof UnreadableAnswerError)) throw error;
        throw failureOf(call, 'not-understood', { what: error.message, status: 200, secrets });
      }
    },
    async confirm(call) {
      if (isOk((await send(call)).text)) return;
      throw failureOf(call, 'not-understood', { what: 'the answer is not "ok"', status: 200, secrets });
    },
  };
}
