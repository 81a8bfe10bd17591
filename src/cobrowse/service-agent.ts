import { Agent } from 'undici';

/**
 * Connections to the service, made to be shared. They are kept for ten idle minutes, so that a click after a quiet
 * while pays no TLS handshake, and are not capped, so that a burst of clicks does not queue. HTTP/1.1 only: a
 * connection that breaks then fails one request. An answer above 8 MiB is broken off, whatever it is to.
 */
export function createServiceAgent(): Agent {
  return new Agent({
    keepAliveTimeout: 600_000,
    keepAliveMaxTimeout: 600_000,
    connectTimeout: 3_000,
    maxResponseSize: 8 * 1024 * 1024,
    allowH2: false,
  });
}
