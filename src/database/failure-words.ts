import type { DatabaseError } from './errors.ts';

/** For whoever starts the app: why the database can’t be opened, which file it is, and what the system said. */
export function databaseFailureWords({ message, cause }: DatabaseError, file: string | undefined): string {
  return [
    message,
    ...(file === undefined ? [] : [`  File: ${file}`]),
    ...(cause instanceof Error ? [`  Cause: ${cause.message}`] : []),
  ].join('\n');
}
