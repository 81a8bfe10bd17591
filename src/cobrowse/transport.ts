import { setTimeout as pause } from 'node:timers/promises';
import type { z } from 'zod';
import { createExchange } from './exchange.ts';
import type { ExchangeOptions } from './exchange.ts';
import { isOk, readJson } from './replies.ts';
import { failureOf, isUsableId } from './service-call.ts';
import type { ServiceCall } from './service-call.ts';

export interface TransportOptions extends ExchangeOptions {
  /** For a whole call, its repetition included. */
  readonly timeoutMs: number;
}

/** Calls to one service; both functions reject with a CobrowseError and nothing else. */
export interface Transport {
  /** Reads the answer as JSON of this shape. */
  read<Value>(call: ServiceCall, schema: z.ZodType<Value>): Promise<Value>;
  /** For a call that is answered with a plain `ok`. */
  confirm(call: ServiceCall): Promise<void>;
}

/** A GET is repeated once where that may help; nothing else is ever sent twice. @throws TypeError as createExchange */
export function createTransport({ timeoutMs, ...options }: TransportOptions): Transport {
  const { secrets } = options;
  const exchange = createExchange(options);

  async function send(call: ServiceCall): Promise<string> {
    if (call.visitorId !== undefined && !isUsableId(call.visitorId)) {
      throw failureOf(call, 'not-found', { what: 'not sent, no visitor can have this id' });
    }
    const endsAt = performance.now() + timeoutMs;
    const first = await exchange(call, timeoutMs);
    if ('text' in first) return first.text;
    if (call.method !== 'GET' || call.once === true || first.retryInMs === undefined) throw first.failure;
    const leftMs = endsAt - performance.now() - first.retryInMs;
    if (leftMs <= 0) throw first.failure;
    await pause(first.retryInMs);
    const second = await exchange(call, leftMs);
    if ('text' in second) return second.text;
    throw second.failure;
  }

  return {
    async read(call, schema) {
      const reading = readJson(await send(call), schema);
      if ('value' in reading) return reading.value;
      const { complaint: what, cause } = reading;
      throw failureOf(call, 'not-understood', { what, cause, status: 200, secrets });
    },
    async confirm(call) {
      if (isOk(await send(call))) return;
      throw failureOf(call, 'not-understood', { what: 'the answer is not "ok"', status: 200, secrets });
    },
  };
}
