/**
 * The text without anything that opens a door: the given secrets, bearer tokens and web addresses (a watch link is
 * one).
 */
export function redact(text: string, secrets: readonly string[]): string {
  const withoutSecrets = secrets
    .filter((secret) => secret !== '')
    .reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text);
  return withoutSecrets
    .replaceAll(/\bBearer\s+\S+/gi, 'Bearer [secret]')
    .replaceAll(/\bhttps?:\/\/\S+/gi, '[link]');
}

/**
 * A copy of an error with its name, code, message, stack and causes, redacted. Anything else an error may carry
 * (request headers, an address) is left behind.
 */
export function redactedCause(cause: unknown, secrets: readonly string[], depth = 4): Error {
  if (!(cause instanceof Error)) return new Error('Something that is not an Error was thrown.');
  const copy = new Error(redact(messageOf(cause), secrets));
  copy.name = cause.name;
  copy.stack = redact(cause.stack ?? '', secrets);
  const code = codeOf(cause);
  if (code !== undefined) Object.assign(copy, { code });
  if (cause.cause instanceof Error && depth > 1) copy.cause = redactedCause(cause.cause, secrets, depth - 1);
  return copy;
}

/** Node's or undici's name for a failure, for example ECONNRESET. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** A host with several addresses fails with an AggregateError, whose own message is empty. */
function messageOf(error: Error): string {
  if (error.message !== '' || !(error instanceof AggregateError)) return error.message;
  return error.errors.map((one) => (one instanceof Error ? one.message : '')).join('; ');
}
