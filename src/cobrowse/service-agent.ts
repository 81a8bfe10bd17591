import { Agent } from 'undici';

/**
 * Connections to the service, made to be shared. They are kept for ten idle minutes, so that a click after a quiet
 * while pays no TLS handshake, and are not capped, so that a burst of clicks does not queue. HTTP/1.1 only: a
 * connection that breaks then fails one request. How large an answer may be is said with each request.
 */
export function createServiceAgent(): Agent {
  return new Agent({
    keepAliveTimeout: 600_000,
    keepAliveMaxTimeout: 600_000,
    connectTimeout: 3_000,
    allowH2: false,
  });
}
